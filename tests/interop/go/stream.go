package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"google.golang.org/grpc"
	"sprague.example/client"
	pb "sprague.example/client/spraguev1"
)

// stream sends messages as soon as the call takes one. numbers: boards, cells of each (0: 12 to 292 by turns), boards in
// a message. See ../streams.py.
func stream(address string, numbers []string, target string) error {
	var values [3]int
	for index, text := range numbers {
		values[index], _ = strconv.Atoi(text)
	}
	boards, cells, batch := values[0], values[1], values[2]
	connection, err := grpc.Dial(address, grpc.WithInsecure(), grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)))
	if err != nil {
		return err
	}
	defer connection.Close()
	call, err := pb.NewSpragueServiceClient(connection).SolveStream(context.Background())
	if err != nil {
		return err
	}
	go func() {
		for sent := 0; sent < boards; {
			request := &pb.SolveStreamRequest{BatchId: uint64(sent / batch)}
			for ; len(request.Boards) < batch && sent < boards; sent++ {
				length := cells
				if length == 0 {
					length = 12 + sent*89%281
				}
				request.Boards = append(request.Boards, client.Treblecross(strings.Repeat(".", length)))
			}
			if call.Send(request) != nil {
				return
			}
		}
		call.CloseSend()
	}()
	output, err := os.Create(target)
	if err != nil {
		return err
	}
	written := bufio.NewWriter(output)
	batches, answered := uint64(0), 0
	var summary *pb.Summary
	for {
		response, err := call.Recv()
		if err == io.EOF {
			break
		} else if err != nil {
			return fmt.Errorf("%d of %d boards answered: %w", answered, boards, err)
		}
		if response.GetSummary() != nil {
			summary = response.GetSummary()
			continue
		}
		if response.GetBatch().GetBatchId() != batches {
			return fmt.Errorf("batch %d was answered as %d", batches, response.GetBatch().GetBatchId())
		}
		batches++
		for _, result := range response.GetBatch().GetResults() {
			answered++
			fmt.Fprint(written, int(result.GetSolution().GetOutcome()))
		}
	}
	if answered != boards || summary.GetSolved() != uint64(boards) {
		return fmt.Errorf("%d of %d boards answered, Summary %v", answered, boards, summary)
	}
	if err := written.Flush(); err != nil {
		return err
	}
	return output.Close()
}
