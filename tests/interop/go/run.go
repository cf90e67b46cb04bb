package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"sprague.example/client"
	pb "sprague.example/client/spraguev1"
)

// check fails the test unless the condition holds.
func check(holds bool, format string, values ...interface{}) {
	if !holds {
		panic(fmt.Sprintf(format, values...))
	}
}

// collect returns the results of the boards.
func collect(ctx context.Context, c *client.Client, boards ...*pb.Board) ([]*pb.BoardResult, error) {
	var results []*pb.BoardResult
	next := func() (*pb.Board, error) {
		if len(boards) == 0 {
			return nil, io.EOF
		}
		board := boards[0]
		boards = boards[1:]
		return board, nil
	}
	err := c.SolveAll(ctx, next, func(result *pb.BoardResult) error {
		results = append(results, result)
		return nil
	}, false)
	return results, err
}

func solve(c *client.Client, board *pb.Board) *pb.Solution {
	solution, err := c.Solve(context.Background(), board, false)
	check(err == nil, "%v", err)
	return solution
}

func solvesOneBoardOfEachGame(c *client.Client) {
	row := solve(c, client.Treblecross("X.XX."))
	check(fmt.Sprint(row.WinningCells) == "[1 4]" && row.ValueKind == pb.ValueKind_VALUE_KIND_IMMEDIATE_WIN, "%v", row)
	grid := solve(c, client.Darkraft(2, "X/\\X"))
	check(grid.Outcome == pb.Outcome_OUTCOME_FIRST_PLAYER_WINS, "%v", grid)
	ends := solve(c, client.EndNim(1<<64-1)).WinningEnds
	check(len(ends) == 1 && ends[0].End == pb.End_END_LEFT && ends[0].Take == 1<<64-1, "%v", ends)
}

func aBadBoardIsAnErrorOfItsOwn(c *client.Client) {
	_, err := c.Solve(context.Background(), client.Treblecross("..x."), false)
	var fault client.BoardFault
	check(errors.As(err, &fault) && fault.Reason == pb.Reason_REASON_BAD_CELL && fault.GetOffset() == 2, "%v", err)
}

func badBoardsLeaveTheOthersTheirAnswers(c *client.Client) {
	good := client.EndNim(3, 1, 2)
	bad := map[pb.Reason]*pb.Board{
		pb.Reason_REASON_NO_GAME:        {},
		pb.Reason_REASON_ALREADY_WON:    client.Treblecross("..XXX"),
		pb.Reason_REASON_RAGGED:         client.Darkraft(2, "XX\\"),
		pb.Reason_REASON_PILE_ZERO:      client.EndNim(4, 0, 1),
		pb.Reason_REASON_TOO_MANY_CELLS: client.Treblecross(strings.Repeat(".", 1_000_001)),
	}
	expected := solve(c, good)
	for reason, board := range bad {
		results, err := collect(context.Background(), c, good, board, good)
		check(err == nil && len(results) == 3, "%v", err)
		check(results[1].GetError().GetReason() == reason, "%v instead of %v", results[1], reason)
		check(proto.Equal(results[0].GetSolution(), expected) && proto.Equal(results[2].GetSolution(), expected), "%v", results)
	}
}

func anEmptyRunHasNoResults(c *client.Client) {
	results, err := collect(context.Background(), c)
	check(err == nil && len(results) == 0, "%v, %v", results, err)
}

func answersOverFourMebibytesArrive(c *client.Client) {
	row := client.Treblecross(strings.Repeat("X.X.", 200_000))
	call, err := c.Services[0].SolveStream(context.Background())
	check(err == nil, "%v", err)
	check(call.Send(&pb.SolveStreamRequest{Boards: []*pb.Board{row, row, row, row, row}}) == nil, "not sent")
	check(call.CloseSend() == nil, "not closed")
	response, err := call.Recv()
	check(err == nil && proto.Size(response) > 4<<20, "%v", err)
}

func anErrorOfTheCallersEndsTheRun(c *client.Client) {
	broken := errors.New("the file is broken")
	err := c.SolveAll(context.Background(), func() (*pb.Board, error) { return nil, broken }, nil, false)
	check(err == broken, "%v", err)
	next := func() (*pb.Board, error) { return client.Treblecross("...."), nil }
	err = c.SolveAll(context.Background(), next, func(*pb.BoardResult) error { return broken }, false)
	check(err == broken, "%v", err)
	noText, begun := client.Treblecross("..\xff."), time.Now()
	_, err = c.Solve(context.Background(), noText, false)
	check(err != nil, "bytes that are no text were sent")
	_, err = collect(context.Background(), c, noText)
	check(err != nil && time.Since(begun) < time.Second, "%v after %v", err, time.Since(begun))
}

func boardsAreTakenAsAnswersAreUsed(c *client.Client) {
	info, err := c.Info(context.Background())
	check(err == nil, "%v", err)
	taken, answered, ahead := 0, 0, 0
	next := func() (*pb.Board, error) {
		if taken == 100_000 {
			return nil, io.EOF
		}
		taken++
		return client.Treblecross(strings.Repeat(".", 200)), nil
	}
	use := func(*pb.BoardResult) error {
		answered++
		if taken-answered > ahead {
			ahead = taken - answered
		}
		return nil
	}
	check(c.SolveAll(context.Background(), next, use, false) == nil && answered == taken, "%d of %d", answered, taken)
	batch := int(info.RecommendedBatchBytes) / 200
	check(batch < ahead && ahead <= 17*batch, "%d ahead", ahead)
}

func aMessageOverTheLimitIsOutOfRange(c *client.Client) {
	row := client.Treblecross(strings.Repeat(".", 16<<20))
	_, err := c.Solve(context.Background(), row, false)
	check(status.Code(err) == codes.OutOfRange, "%v", err)
	_, err = collect(context.Background(), c, row)
	check(status.Code(err) == codes.OutOfRange, "%v", err)
}

func everyJudgeFileHasItsAnswer(cases string) func(*client.Client) {
	return func(c *client.Client) {
		files, _ := filepath.Glob(filepath.Join(cases, "*", "*.in"))
		check(len(files) >= 6, "%d files", len(files))
		for _, file := range files {
			expected, err := os.ReadFile(strings.TrimSuffix(file, "in") + "out")
			check(err == nil, "%v", err)
			input, err := os.Open(file)
			check(err == nil, "%v", err)
			var found bytes.Buffer
			err = answers(c, filepath.Base(filepath.Dir(file)), input, &found)
			input.Close()
			check(err == nil && bytes.Equal(found.Bytes(), expected), "%s: %v", file, err)
		}
	}
}

// A dialler of one's own, as for a socket, leaves gRPC with the path for :authority: a name that HTTP/2 does not allow.
func withAuthorityLetsASocketsPathBeDialled(path string) func(*client.Client) {
	return func(*client.Client) {
		dialler := func(ctx context.Context, path string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		}
		ask := func(more ...grpc.DialOption) error {
			options := append(more, grpc.WithInsecure(), grpc.WithContextDialer(dialler))
			connection, err := grpc.Dial("passthrough:///"+path, options...)
			check(err == nil, "%v", err)
			defer connection.Close()
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			_, err = pb.NewSpragueServiceClient(connection).GetServerInfo(ctx, &pb.GetServerInfoRequest{})
			return err
		}
		check(ask() != nil, "the path was accepted: this cure is not needed any more")
		check(ask(grpc.WithAuthority("localhost")) == nil, "%v", ask(grpc.WithAuthority("localhost")))
	}
}

func aDeadlineEndsASlowSolve(c *client.Client) {
	piles := make([]uint64, 1_000_000) // a second at this server's pace
	for index := range piles {
		piles[index] = 1
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	_, err := c.Solve(ctx, client.EndNim(piles...), false)
	check(status.Code(err) == codes.DeadlineExceeded, "%v", err)
	solve(c, client.Treblecross("...."))
}

func aDeadlineEndsARunInTheMiddle(c *client.Client) {
	ctx, cancel := context.WithTimeout(context.Background(), 700*time.Millisecond)
	defer cancel()
	answered := 0
	next := func() (*pb.Board, error) { return client.Treblecross(strings.Repeat(".", 100)), nil }
	err := c.SolveAll(ctx, next, func(*pb.BoardResult) error { answered++; return nil }, false)
	check(status.Code(err) == codes.DeadlineExceeded && answered > 0, "%v after %d", err, answered)
}

type test struct {
	name string
	run  func(*client.Client)
}

func run(tcp, unix, slow, cases string) error {
	fast := []test{
		{"solves one board of each game", solvesOneBoardOfEachGame},
		{"a bad board is an error of its own", aBadBoardIsAnErrorOfItsOwn},
		{"bad boards leave the others their answers", badBoardsLeaveTheOthersTheirAnswers},
		{"an empty run has no results", anEmptyRunHasNoResults},
		{"answers over four mebibytes arrive", answersOverFourMebibytesArrive},
		{"boards are taken as answers are used", boardsAreTakenAsAnswersAreUsed},
		{"an error of the caller's ends the run", anErrorOfTheCallersEndsTheRun},
		{"a message over the limit is out of range", aMessageOverTheLimitIsOutOfRange},
		{"WithAuthority lets a socket's path be dialled", withAuthorityLetsASocketsPathBeDialled(strings.TrimPrefix(unix, "unix:"))},
	}
	once := append([]test{{"every judge file has its answer", everyJudgeFileHasItsAnswer(cases)}}, fast...)
	late := []test{
		{"a deadline ends a slow solve", aDeadlineEndsASlowSolve},
		{"a deadline ends a run in the middle", aDeadlineEndsARunInTheMiddle},
	}
	passed, failed := 0, 0
	for _, part := range []struct {
		address string
		tests   []test
	}{{tcp, once}, {unix, fast}, {slow, late}} {
		c, err := client.Dial(client.Options{}, part.address)
		if err != nil {
			return err
		}
		for _, test := range part.tests {
			name := fmt.Sprintf("%s (%s)", test.name, strings.Split(part.address, ":")[0])
			if what := attempt(test, c); what == nil {
				passed++
				fmt.Println("ok     ", name)
			} else {
				failed++
				fmt.Printf("FAILED  %s\n%v\n", name, what)
			}
		}
		c.Close()
	}
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 {
		return errors.New("the Go client failed")
	}
	return nil
}

// attempt runs a test, and returns what it panicked with.
func attempt(test test, c *client.Client) (what interface{}) {
	defer func() { what = recover() }()
	test.run(c)
	return nil
}
