"""Runs the client against a real server, over TCP and a Unix socket, and against one whose solver is slow.

    pip install -r requirements.txt
    SPRAGUED=target/release/spragued SLOW_SERVER=target/release/examples/slow_server python run.py
"""

import pathlib
import sys
import tempfile
import threading
import time
import traceback

import grpc
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from grpc_status import rpc_status
from google.protobuf.descriptor_pool import DescriptorPool

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
CASES = ROOT / "tests" / "cases"
SERVICE = "sprague.v1.SpragueService"

import judge
from programs import slow_server, spragued
from sprague.v1 import sprague_pb2_grpc
from sprague_client import WINDOW, BoardFault, Client, darkraft, end_nim, pb, treblecross

SLOW = 1_000_000  # piles: a second at the slow server's pace


def code_of(call):
    """The status with which a call fails."""
    try:
        call()
    except grpc.RpcError as error:
        return error.code()
    return grpc.StatusCode.OK


def details_of(error):
    """The typed details of a failed call, by type."""
    found = {}
    for detail in rpc_status.from_call(error).details:
        for kind in (error_details_pb2.ErrorInfo, error_details_pb2.BadRequest, error_details_pb2.RetryInfo):
            if detail.Is(kind.DESCRIPTOR):
                found[kind] = kind()
                detail.Unpack(found[kind])
    return found


def solves_one_board_of_each_game(client):
    row = client.solve(treblecross("....."))
    assert row.outcome == pb.OUTCOME_FIRST_PLAYER_WINS
    assert (row.value_kind, row.nim_value) == (pb.VALUE_KIND_NIMBER, 2)
    won = client.solve(treblecross("X.XX."))
    assert (list(won.winning_cells), won.value_kind) == ([1, 4], pb.VALUE_KIND_IMMEDIATE_WIN)
    grid = client.solve(darkraft(2, "X/\\X"))
    assert grid.outcome == pb.OUTCOME_FIRST_PLAYER_WINS and grid.value_kind == pb.VALUE_KIND_NIMBER
    assert client.solve(end_nim([1, 1, 2, 2])).outcome == pb.OUTCOME_SECOND_PLAYER_WINS
    ends = client.solve(end_nim([0, 2**64 - 1, 0])).winning_ends
    assert [(end.end, end.take) for end in ends] == [(pb.END_LEFT, 2**64 - 1)]
    short = client.solve(treblecross("....."), outcome_only=True)
    assert (short.value_kind, len(short.winning_cells)) == (pb.VALUE_KIND_NOT_ASKED, 0)


def a_bad_board_is_an_error_of_its_own(client):
    try:
        client.solve(treblecross("..x."))
    except BoardFault as fault:
        assert (fault.reason, fault.offset) == ("REASON_BAD_CELL", 2), fault
    else:
        raise AssertionError("a bad board was solved")


def bad_boards_leave_the_others_their_answers(client):
    good = [treblecross("."*7), darkraft(3, "X/\\" * 3), end_nim([3, 1, 2]), end_nim([])]
    bad = [
        (pb.Board(), pb.REASON_NO_GAME, None),
        (treblecross("..O.."), pb.REASON_BAD_CELL, 2),
        (treblecross("..XXX"), pb.REASON_ALREADY_WON, 2),
        (treblecross(".."), pb.REASON_TOO_SHORT, None),
        (treblecross("." * 1_000_001), pb.REASON_TOO_MANY_CELLS, None),
        (darkraft(2, "XX\\"), pb.REASON_RAGGED, None),
        (darkraft(0, ""), pb.REASON_EMPTY, None),
        (darkraft(2, "XL"), pb.REASON_BAD_CELL, 1),
        (darkraft(65, "X" * 65), pb.REASON_TOO_MANY_CELLS, None),
        (pb.Board(end_nim=pb.EndNim(piles=[4, 0, 1])), pb.REASON_PILE_ZERO, 1),
        (end_nim([1] * 1_000_001), pb.REASON_TOO_MANY_PILES, None),
    ]
    boards = [board for wrong, _, _ in bad for board in (*good, wrong)]
    results = list(client.solve_all(boards))
    assert len(results) == len(boards)
    expected = [client.solve(board) for board in good]
    for index, (_, reason, offset) in enumerate(bad):
        *solved, failed = results[5 * index:5 * index + 5]
        assert [result.solution for result in solved] == expected
        assert failed.error.reason == reason, (failed, reason)
        assert (failed.error.offset if failed.error.HasField("offset") else None) == offset, failed
        assert failed.error.message


def every_judge_file_has_its_answer(client):
    files = sorted(CASES.glob("*/*.in"))
    assert len(files) >= 6
    for file in files:
        expected = file.with_suffix(".out").read_bytes()
        assert "".join(judge.answers(client, file.parent.name, file.read_text())).encode() == expected, file


def an_empty_stream_has_a_summary(client):
    assert list(client.solve_all([])) == []
    answers = list(client.stubs[0].SolveStream(iter([pb.SolveStreamRequest(batch_id=7)]), timeout=10))
    assert [answer.WhichOneof("message") for answer in answers] == ["batch", "summary"]
    assert answers[0].batch.batch_id == 7 and not answers[0].batch.results


def answers_over_four_mebibytes_arrive(client):
    row = treblecross("X.X." * 200_000)
    batch = pb.SolveStreamRequest(boards=[row] * 5)
    answer, summary = client.stubs[0].SolveStream(iter([batch]), timeout=60)
    assert answer.ByteSize() > 4 << 20 and summary.summary.solved == 5


def health_knows_the_server_and_the_service(client):
    health = health_pb2_grpc.HealthStub(client.channels[0])
    for service in ("", SERVICE):
        answer = health.Check(health_pb2.HealthCheckRequest(service=service), timeout=10)
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
        watch = health.Watch(health_pb2.HealthCheckRequest(service=service), timeout=10)
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
        watch.cancel()
    unknown = health_pb2.HealthCheckRequest(service="sprague.v1.Nothing")
    assert code_of(lambda: health.Check(unknown, timeout=10)) == grpc.StatusCode.NOT_FOUND
    watch = health.Watch(unknown, timeout=1)
    assert next(watch).status == health_pb2.HealthCheckResponse.SERVICE_UNKNOWN
    assert code_of(lambda: next(watch)) == grpc.StatusCode.DEADLINE_EXCEEDED  # open until then


def reflection_describes_the_service(client):
    pool = DescriptorPool(ProtoReflectionDescriptorDatabase(client.channels[0]))  # v1alpha
    methods = pool.FindServiceByName(SERVICE).methods_by_name
    assert {"Solve", "SolveStream", "GetServerInfo"} <= set(methods)
    assert methods["SolveStream"].client_streaming and methods["SolveStream"].server_streaming
    # A value of an enum is named beside it. The details of a failed call are described too.
    outcome = pool.FindFileContainingSymbol("sprague.v1.OUTCOME_FIRST_PLAYER_WINS").enum_types_by_name["Outcome"]
    assert outcome.values_by_name["OUTCOME_FIRST_PLAYER_WINS"].number == pb.OUTCOME_FIRST_PLAYER_WINS
    for name in ("ErrorInfo", "RetryInfo", "BadRequest", "Status"):
        assert pool.FindMessageTypeByName(f"google.rpc.{name}").fields
    # This library speaks v1alpha only; v1 has other names and the same messages.
    ask = client.channels[0].stream_stream(
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )
    request = reflection_pb2.ServerReflectionRequest
    questions = [request(file_containing_symbol="nothing.Nothing"), request(list_services="")]
    failed, answer = ask(iter(questions), timeout=10)
    assert failed.error_response.error_code == grpc.StatusCode.NOT_FOUND.value[0]
    listed = [service.name for service in answer.list_services_response.service]
    assert listed == ["grpc.health.v1.Health", *(f"grpc.reflection.{v}.ServerReflection" for v in ("v1", "v1alpha")), SERVICE]


def a_batch_over_the_limit_is_invalid_argument(client):
    limit = client.info().limits.boards_per_batch
    full = pb.SolveStreamRequest(boards=[pb.Board()] * limit)
    answer, _ = client.stubs[0].SolveStream(iter([full]), timeout=30)
    assert len(answer.batch.results) == limit
    over = pb.SolveStreamRequest(batch_id=2, boards=[pb.Board()] * (limit + 1))
    more = pb.SolveStreamRequest(boards=[treblecross("." * 60)] * 1000)
    for uploaded_after in [0, 1, 10, 300] * 3:
        def requests():
            yield from [more, over]
            yield from (more for _ in range(uploaded_after))
        call = client.stubs[0].SolveStream(requests(), timeout=30)
        try:
            for _ in call:
                pass
            raise AssertionError("a batch over the limit was answered")
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.INVALID_ARGUMENT, (uploaded_after, error)
            details = details_of(error)
            assert details[error_details_pb2.ErrorInfo].reason == "TOO_MANY_BOARDS"
            assert details[error_details_pb2.ErrorInfo].domain == "sprague.v1"
            assert details[error_details_pb2.BadRequest].field_violations[0].field == "boards"


def a_message_over_the_limit_is_out_of_range(client):
    row = treblecross("." * (client.info().limits.message_bytes + 1))
    assert code_of(lambda: client.solve(row)) == grpc.StatusCode.OUT_OF_RANGE
    assert code_of(lambda: list(client.solve_all([row]))) == grpc.StatusCode.OUT_OF_RANGE


def a_cancelled_upload_leaves_the_server_to_others(client):
    for _ in range(20):
        started = threading.Event()

        def requests():
            while True:
                yield pb.SolveStreamRequest(boards=[treblecross("." * 200)] * 300)
                started.set()
        call = client.stubs[0].SolveStream(requests())
        next(call)
        assert started.wait(10)
        call.cancel()
        assert code_of(lambda: list(call)) == grpc.StatusCode.CANCELLED
    assert client.solve(treblecross("....")).winning_cells == [1, 2]


def a_deadline_ends_a_slow_solve(client):
    row = end_nim([1] * SLOW)
    assert code_of(lambda: client.solve(row, timeout=0.3)) == grpc.StatusCode.DEADLINE_EXCEEDED
    assert client.solve(treblecross("....")).winning_cells == [1, 2]


def a_deadline_ends_a_stream_in_the_middle(client):
    rows = (treblecross("." * 100) for _ in range(1_000_000_000))
    answered = 0
    try:
        for _ in client.solve_all(rows, timeout=0.7):
            answered += 1
        raise AssertionError("a billion boards were solved")
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.DEADLINE_EXCEEDED, error


def the_server_keeps_deadlines_by_itself(client):
    """A caller without a timer of its own sends the header alone, as a proxy may."""
    header = [("grpc-timeout", "300m")]
    slow = pb.SolveRequest(board=end_nim([1] * SLOW))
    assert code_of(lambda: client.stubs[0].Solve(slow, metadata=header)) == grpc.StatusCode.DEADLINE_EXCEEDED
    batch = pb.SolveStreamRequest(boards=[treblecross("." * 200)] * 100)
    batches = (batch for _ in range(10_000))
    assert code_of(lambda: list(client.stubs[0].SolveStream(batches, metadata=header))) == grpc.StatusCode.DEADLINE_EXCEEDED


def a_cancel_frees_the_slow_solver(client):
    """Were the cancelled boards solved to the end, they would keep every worker for minutes."""
    call = client.stubs[0].SolveStream(pb.SolveStreamRequest(boards=[treblecross("." * 200)] * 500) for _ in range(1000))
    next(call)
    call.cancel()
    assert len(list(client.solve_all([treblecross("." * 200)] * 100, timeout=10))) == 100


def twenty_thousand_small_messages_survive_a_slow_server(client):
    """Messages of 20 to 300 bytes arrive faster than they are answered: the connection must not be given up."""
    rows = (CASES / "poj3537" / "every-3-to-300.in").read_text().split()
    answers = (CASES / "poj3537" / "every-3-to-300.out").read_text().split()
    boards = [("." * int(row), answer) for row, answer in zip(rows, answers) if int(row) >= 12][:281]
    chosen = [boards[(index * 89) % len(boards)] for index in range(20_000)]
    requests = [pb.SolveStreamRequest(batch_id=index, boards=[treblecross(row)]) for index, (row, _) in enumerate(chosen)]
    sizes = [request.ByteSize() for request in requests]
    assert 15 <= min(sizes) <= 20 and 290 <= max(sizes) <= 310, (min(sizes), max(sizes))
    *answered, last = client.stubs[0].SolveStream(iter(requests), timeout=120)
    assert [message.batch.batch_id for message in answered] == list(range(20_000))
    for message, (_, expected) in zip(answered, chosen):
        (result,) = message.batch.results
        assert result.solution.outcome == int(expected), message
    assert last.summary == pb.Summary(batches=20_000, boards=20_000, solved=20_000)


def boards_are_taken_as_answers_are_taken(client):
    taken = ahead = 0

    def rows():
        nonlocal taken
        for _ in range(100_000):
            taken += 1
            yield treblecross("." * 200)
    for answered, _ in enumerate(client.solve_all(rows()), 1):
        ahead = max(ahead, taken - answered)
    batch = client.info().recommended_batch_bytes // 200
    assert batch < ahead <= (WINDOW + 1) * batch, ahead


def an_error_of_the_callers_ends_the_run(client):
    def rows(error):
        for _ in range(50_000):
            yield treblecross("." * 200)
        raise error
    for error in (ValueError("the file is broken"), Failure()):
        try:
            for _ in client.solve_all(rows(error)):
                pass
            raise AssertionError("the error is lost")
        except type(error) as found:
            assert found is error


class Failure(grpc.RpcError):
    """Of a call that the boards come from."""

    def code(self):
        return grpc.StatusCode.UNAVAILABLE


def default_authority_lets_a_call_in(client):
    """gRPC makes an :authority of a socket's path, or of several addresses, that HTTP/2 does not allow."""
    for options, accepted in [([], False), ([("grpc.default_authority", "localhost")], True)]:
        with grpc.insecure_channel(client.servers[0], options) as channel:
            info = sprague_pb2_grpc.SpragueServiceStub(channel).GetServerInfo
            code = code_of(lambda: info(pb.GetServerInfoRequest(), timeout=10))
            assert (code == grpc.StatusCode.OK) == accepted, (client.servers, options, code)
    assert client.solve(treblecross("....")).winning_cells == [1, 2]


FAST = [
    solves_one_board_of_each_game,
    a_bad_board_is_an_error_of_its_own,
    bad_boards_leave_the_others_their_answers,
    an_empty_stream_has_a_summary,
    answers_over_four_mebibytes_arrive,
    health_knows_the_server_and_the_service,
    reflection_describes_the_service,
    a_batch_over_the_limit_is_invalid_argument,
    a_message_over_the_limit_is_out_of_range,
    a_cancelled_upload_leaves_the_server_to_others,
    boards_are_taken_as_answers_are_taken,
    an_error_of_the_callers_ends_the_run,
]
ONCE = [every_judge_file_has_its_answer]  # seconds of work: over TCP alone
AUTHORITY = [default_authority_lets_a_call_in]
LATE = [
    a_deadline_ends_a_slow_solve,
    a_deadline_ends_a_stream_in_the_middle,
    the_server_keeps_deadlines_by_itself,
    a_cancel_frees_the_slow_solver,
    twenty_thousand_small_messages_survive_a_slow_server,
]


def run(tests, address):
    """How many of the tests fail."""
    client, failed = Client(address), 0
    for test in tests:
        name, start = f"{test.__name__.replace('_', ' ')} ({address.split(':')[0]})", time.monotonic()
        try:
            test(client)
            print(f"ok      {name}, {time.monotonic() - start:.1f} s", flush=True)
        except Exception:
            failed += 1
            print(f"FAILED  {name}\n{traceback.format_exc()}", flush=True)
    client.close()
    return failed


def main():
    with tempfile.TemporaryDirectory() as folder:
        tcp = ("--listen", "127.0.0.1:0")
        with spragued(*tcp, *tcp, "--listen", f"unix:{folder}/sprague.sock") as server:
            first, second, unix = server.addresses
            runs = [(FAST + ONCE, first), (FAST + AUTHORITY, unix), (AUTHORITY, f"ipv4:{first},{second}")]
            failed = sum(run(tests, address) for tests, address in runs)
        with slow_server("1us") as server:
            runs.append((LATE, server.addresses[0]))
            failed += run(LATE, server.addresses[0])
    total = sum(len(tests) for tests, _ in runs)
    print(f"{total - failed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
