// Runs the Go client against a real server.
//
//	interop judge FORMAT INPUT OUTPUT SERVER...
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
	case len(arguments) == 5 && arguments[0] == "run":
		err = run(arguments[1], arguments[2], arguments[3], arguments[4])
	default:
		err = fmt.Errorf("usage: interop judge|run ...")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
