#!/usr/bin/env bash
# Asks a real server with `buf curl`, which knows nothing of Sprague but what reflection tells it.
#
#   npm install @bufbuild/buf
#   SPRAGUED=target/release/spragued SLOW_SERVER=target/release/examples/slow_server tests/interop/buf/run.sh
#
# Needs jq too. What buf curl cannot do: cancel a call otherwise than by being killed, and write out the typed details of
# a failed call, which it shows in base64. Its exit code is the status times 8.

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cases=$here/../../cases
service=sprague.v1.SpragueService
call=(buf curl --protocol grpc --http2-prior-knowledge)
work=$(mktemp -d)
passed=0
failed=0

# start NAME COMMAND...: runs a server, and puts its ready line into `ready`.
start() {
    local name=$1
    shift
    mkfifo "$work/$name.in"
    "$@" <"$work/$name.in" >"$work/$name.out" &
    servers+=("$!")
    exec {input}>"$work/$name.in" # open until this script ends
    for _ in $(seq 300); do
        ready=$(cat "$work/$name.out")
        [[ $ready == *" listening on "* ]] && return
        sleep 0.1
    done
    echo "$name did not start" >&2
    exit 1
}

servers=()
stop() {
    kill "${servers[@]}" 2>/dev/null
    wait
    rm -rf "$work"
}
trap stop EXIT

# ask METHOD [FLAG...]: one call; `target` says to whom. Requests come from standard input.
ask() {
    local method=$1
    shift
    "${call[@]}" "${target[@]}" "$@" -d @- "$url/$method"
}

# check NAME COMMAND...: whether the command succeeds.
check() {
    local name=$1 start=$SECONDS
    shift
    if "$@" >"$work/said" 2>&1; then
        passed=$((passed + 1))
        echo "ok      $name, $((SECONDS - start)) s"
    else
        failed=$((failed + 1))
        echo "FAILED  $name"
        tail -c 2000 "$work/said"
    fi
}

# says EXPECTED FILTER: whether jq's FILTER makes EXPECTED of standard input.
says() {
    local found
    found=$(jq -c "$2")
    [[ $found == "$1" ]] || { echo "found $found, expected $1"; return 1; }
}

# fails CODE COMMAND...: whether the command ends with that gRPC status.
fails() {
    local expected=$1 code
    shift
    "$@" >"$work/failed" 2>&1
    code=$?
    [[ $code == $((8 * expected)) ]] || { echo "exit code $code"; tail -c 500 "$work/failed"; return 1; }
}

methods_are_listed() {
    "${call[@]}" "${target[@]}" --list-methods "$url" | grep -qx "$service/SolveStream"
}

one_board_of_each_game() {
    echo '{"board": {"treblecross": {"cells": "X.XX."}}}' | ask $service/Solve |
        says '[[1,4],"VALUE_KIND_IMMEDIATE_WIN"]' '.result.solution | [.winningCells, .valueKind]' &&
        echo '{"board": {"darkraft": {"columns": 2, "cells": "X/\\X"}}}' | ask $service/Solve |
        says '"OUTCOME_FIRST_PLAYER_WINS"' .result.solution.outcome &&
        echo '{"board": {"endNim": {"piles": ["18446744073709551615"]}}}' | ask $service/Solve |
        says '[{"end":"END_LEFT","take":"18446744073709551615"}]' .result.solution.winningEnds
}

bad_boards_among_good_ones() {
    ask $service/SolveStream >"$work/mixed" <<'END' || return 1
{"boards": [{"treblecross": {"cells": "...."}}, {"treblecross": {"cells": ".x.."}}, {}]}
{"boards": [{"endNim": {"piles": [3, 1, 2]}}, {"endNim": {"piles": [1, 0]}}]}
END
    jq -s . "$work/mixed" | says \
        '["VALUE_KIND_NIMBER","REASON_BAD_CELL",1,"REASON_NO_GAME",null,"VALUE_KIND_NOT_KNOWN","REASON_PILE_ZERO",1]' \
        '[.[].batch.results[]? | .solution.valueKind // (.error | .reason, .offset)]' &&
        jq -s . "$work/mixed" | says '["2","5","2","3"]' '.[-1].summary | [.batches, .boards, .solved, .failed]'
}

judge_files() {
    local format file
    for format in $(ls "$cases"); do
        for file in "$cases/$format"/*.in; do
            awk -v FORMAT="$format" -v BATCH=500 -f "$here/judge.awk" "$file" | ask $service/SolveStream |
                jq -rjn --arg format "$format" -f "$here/answers.jq" | cmp - "${file%.in}.out" || { echo "$file"; return 1; }
        done
    done
}

health() {
    local name
    for name in "" $service; do
        echo "{\"service\": \"$name\"}" | ask grpc.health.v1.Health/Check | says '"SERVING"' .status || return 1
    done
    echo '{"service": "sprague.v1.Nothing"}' >"$work/unknown"
    fails 5 ask grpc.health.v1.Health/Check <"$work/unknown"
}

reflection() {
    local version
    for version in grpc-v1 grpc-v1alpha; do
        echo '{}' | ask $service/GetServerInfo --reflect-protocol $version |
            says '["treblecross","darkraft","end-nim"]' '[.games[].name]' || return 1
    done
}

batch_over_the_limit() {
    local limit
    limit=$(echo '{}' | ask $service/GetServerInfo | jq .limits.boardsPerBatch)
    jq -nc "{boards: [range($limit + 1) | {}]}, (range(200) | {boards: [range(500) | {}]})" >"$work/over"
    fails 3 ask $service/SolveStream <"$work/over" && grep -q boards_per_batch "$work/failed" && grep -q google.rpc.ErrorInfo "$work/failed"
}

message_over_the_limit() {
    awk 'BEGIN { for (all = "."; length(all) <= 16777216;) all = all all; print "{\"board\":{\"treblecross\":{\"cells\":\"" all "\"}}}" }' \
        >"$work/long"
    fails 11 ask $service/Solve <"$work/long"
}

killed_in_mid_upload() {
    local upload
    "${call[@]}" "${target[@]}" -d @- -o "$work/killed" "$url/$service/SolveStream" \
        < <(endless 200) &
    upload=$!
    for _ in $(seq 300); do
        [[ -s $work/killed ]] && break
        sleep 0.1
    done
    [[ -s $work/killed ]] || { echo "no answer came"; kill "$upload"; return 1; }
    kill -KILL "$upload"
    wait "$upload" 2>/dev/null
    rm "$work/killed"
    one_board_of_each_game
}

# endless CELLS: request messages of one board each, until nobody reads them.
endless() {
    yes "{\"boards\": [{\"treblecross\": {\"cells\": \"$(printf '%*s' "$1" | tr ' ' .)\"}}]}" 2>/dev/null
}

# The time counts from buf's own start, so that only a call which was answered in part shows something.
deadline() {
    fails 4 ask $service/SolveStream --timeout 3s < <(endless 200) && grep -q '"results"' "$work/failed"
}

# Go clients send each message as two frames, one of 5 bytes. What the stream's window holds of those must not pass for an
# attack on the server (GOAWAY too_many_data_frames), however slowly they are read.
smallest_messages() {
    fails 4 ask $service/SolveStream --timeout 8s < <(endless 20) && grep -q '"results"' "$work/failed"
}

small_messages() {
    jq -nc 'range(20000) | {batchId: ., boards: [{treblecross: {cells: ("." * (12 + . * 89 % 281))}}]}' |
        ask $service/SolveStream >"$work/small" || return 1
    jq -sc '[.[].batch | select(.) | .batchId // "0"] == [range(20000) | tostring]' "$work/small" | grep -qx true &&
        jq -c 'select(.summary) | .summary' "$work/small" | says '"20000,20000,20000"' '[.batches, .boards, .solved] | join(",")'
}

start spragued "${SPRAGUED:-spragued}" --log warn --listen 127.0.0.1:0 --listen "unix:$work/sprague.sock"
address=${ready#*listening on }
for transport in tcp unix; do
    if [[ $transport == tcp ]]; then
        url=http://${address%%,*} target=()
    else
        url=http://localhost target=(--unix-socket "$work/sprague.sock")
    fi
    check "methods are listed ($transport)" methods_are_listed
    check "one board of each game is solved ($transport)" one_board_of_each_game
    check "bad boards leave the others their answers ($transport)" bad_boards_among_good_ones
    # A process each: a minute and more on a busy machine, so once.
    [[ $transport == tcp ]] && check "every judge file has its answer ($transport)" judge_files
    check "health knows the server and the service ($transport)" health
    check "reflection speaks v1 and v1alpha ($transport)" reflection
    check "a batch over the limit is INVALID_ARGUMENT ($transport)" batch_over_the_limit
    check "a message over the limit is OUT_OF_RANGE ($transport)" message_over_the_limit
    check "a client killed in mid-upload leaves the server to others ($transport)" killed_in_mid_upload
done

start slow_server "${SLOW_SERVER:-slow_server}" 127.0.0.1:0 1us
url=http://${ready#*listening on } target=()
check "a deadline ends a stream in the middle" deadline
check "twenty thousand small messages survive a slow server" small_messages

start slower_server "${SLOW_SERVER:-slow_server}" 127.0.0.1:0 50us
url=http://${ready#*listening on } target=()
check "a window full of the smallest messages survives a slow server" smallest_messages

echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
