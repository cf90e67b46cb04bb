// Runs the Go client against a real server, and streams boards as plain gRPC for Go does it.
//
//	interop judge FORMAT INPUT OUTPUT SERVER...
//	interop stream ADDRESS BOARDS BOARD_CELLS BATCH OUTPUT
//	interop run TCP_ADDRESS UNIX_ADDRESS SLOW_ADDRESS CASES
package main

import (
	"fmt"
	"os"
)

func main() {
	var err error
	switch arguments := os.Args[1:]; {
	case len(arguments) >= 5 && arguments[0] == "judge":
		err = judge(arguments[1], arguments[2], arguments[3], arguments[4:])
	case len(arguments) == 6 && arguments[0] == "stream":
		err = stream(arguments[1], arguments[2:5], arguments[5])
	case len(arguments) == 5 && arguments[0] == "run":
		err = run(arguments[1], arguments[2], arguments[3], arguments[4])
	default:
		err = fmt.Errorf("usage: interop judge|stream|run ...")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
