// Package client asks Sprague from Go. It is made to be copied; docs/writing-a-client.md says why it does what it does.
//
//	go generate && go mod tidy
//
//	c, err := client.Dial(client.Options{}, "127.0.0.1:50051") // or "unix:/run/sprague.sock", or several servers
//	solution, err := c.Solve(ctx, client.Treblecross("...."), false)
//	err = c.SolveAll(ctx, nextBoard, useResult, false)
package client

//go:generate protoc -I ../../proto --go_out=. --go_opt=module=sprague.example/client,Msprague/v1/sprague.proto=sprague.example/client/spraguev1 --go-grpc_out=. --go-grpc_opt=module=sprague.example/client,Msprague/v1/sprague.proto=sprague.example/client/spraguev1 sprague/v1/sprague.proto

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand"
	"os"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	pb "sprague.example/client/spraguev1"
)

// Batches sent and not yet answered: they are kept, so that they can be sent again.
const window = 16

// How long a server is left alone after it failed: doubled with each failure.
const firstPause, longestPause = 50 * time.Millisecond, 2 * time.Second

// How long a unary call may take, unless its context says less.
const unaryTimeout = 10 * time.Second

// ErrIncomplete: the stream ended with status OK before everything was answered.
var ErrIncomplete = errors.New("the stream ended without a Summary")

// ErrProtocol: the server's answers do not fit what was sent.
var ErrProtocol = errors.New("the server does not keep to the protocol")

// BoardFault says why a board has no answer.
type BoardFault struct{ *pb.BoardError }

func (fault BoardFault) Error() string { return fault.GetMessage() }

// Treblecross is a row of cells: '.' empty, 'X' taken.
func Treblecross(cells string) *pb.Board {
	return &pb.Board{Game: &pb.Board_Treblecross{Treblecross: &pb.Treblecross{Cells: cells}}}
}

// Darkraft is a grid, row by row from the top: '\', '/' or 'X' a cell, drawn like the diagonals that it kills along.
func Darkraft(columns uint32, cells string) *pb.Board {
	return &pb.Board{Game: &pb.Board_Darkraft{Darkraft: &pb.Darkraft{Columns: columns, Cells: cells}}}
}

// EndNim is a row of piles, left to right. Leave out empty piles: the server takes a 0 for a mistake.
func EndNim(piles ...uint64) *pb.Board {
	return &pb.Board{Game: &pb.Board_EndNim{EndNim: &pb.EndNim{Piles: piles}}}
}

// Options of a Client; the zero value is a client without TLS and token.
type Options struct {
	// PEM files for TLS; without CA, the authorities of this system are believed.
	CA, Cert, Key string
	// A bearer token. It leaves this machine over TLS only.
	Token string
	// The name to send as :authority, and to find in the server's certificate.
	Authority string
	// How long to go on without any answer before the last error is returned. 0: 30 seconds; below 0: every server is asked once.
	RetryFor time.Duration
}

// Client asks one server at a time; when it fails, another one, or the same one again.
type Client struct {
	// Services has the generated client of each server, for what this one has no method for.
	Services    []pb.SpragueServiceClient
	connections []*grpc.ClientConn
	options     Options
}

// Dial names the servers: "HOST:PORT", "unix:/path", "https://HOST:PORT" for TLS, or any other target that gRPC knows.
// It does not wait for connections.
func Dial(options Options, servers ...string) (*Client, error) {
	if len(servers) == 0 {
		return nil, errors.New("name at least one server")
	}
	if options.RetryFor == 0 {
		options.RetryFor = 30 * time.Second
	}
	c := &Client{options: options}
	for _, server := range servers {
		connection, err := dial(server, options)
		if err != nil {
			c.Close()
			return nil, err
		}
		c.connections = append(c.connections, connection)
		c.Services = append(c.Services, pb.NewSpragueServiceClient(connection))
	}
	return c, nil
}

// Close ends all connections.
func (c *Client) Close() {
	for _, connection := range c.connections {
		connection.Close()
	}
}

// Info returns the version, games and limits of a server.
func (c *Client) Info(ctx context.Context) (info *pb.GetServerInfoResponse, err error) {
	err = c.unary(ctx, func(ctx context.Context, service pb.SpragueServiceClient) error {
		info, err = service.GetServerInfo(ctx, &pb.GetServerInfoRequest{})
		return err
	})
	return info, err
}

// Solve returns the solution of one board, or a BoardFault; any other error is the call's own.
func (c *Client) Solve(ctx context.Context, board *pb.Board, outcomeOnly bool) (*pb.Solution, error) {
	if _, err := proto.Marshal(board); err != nil {
		return nil, err
	}
	var response *pb.SolveResponse
	err := c.unary(ctx, func(ctx context.Context, service pb.SpragueServiceClient) (err error) {
		response, err = service.Solve(ctx, &pb.SolveRequest{Board: board, OutcomeOnly: outcomeOnly})
		return err
	})
	if err != nil {
		return nil, err
	}
	if fault := response.GetResult().GetError(); fault != nil {
		return nil, BoardFault{fault}
	}
	return response.GetResult().GetSolution(), nil
}

// SolveAll takes boards from next until it returns io.EOF, and gives each one's result to use, in order, each once: a
// solution or an error. Any other error of the two functions ends the run and is returned.
//
// Boards are taken as answers are used: at most window batches are kept. What was sent and not answered when a stream
// breaks is sent again.
func (c *Client) SolveAll(ctx context.Context, next func() (*pb.Board, error), use func(*pb.BoardResult) error, outcomeOnly bool) error {
	info, err := c.Info(ctx)
	if err != nil {
		return err
	}
	batches := newPacker(next, outcomeOnly, info)
	retry := c.newRetry()
	var unanswered []*pb.SolveStreamRequest
	var current *stream
	defer func() { current.close() }()
	for server, more := 0, true; ; {
		for more && len(unanswered) < window {
			batch, err := batches.next()
			if err != nil && err != io.EOF {
				return err
			}
			if more = err == nil; more {
				unanswered = append(unanswered, batch)
			}
			if current != nil {
				current.send(batch) // nil: there are no more
			}
		}
		var results []*pb.BoardResult
		if current == nil {
			if server, err = retry.server(ctx); err != nil {
				return err
			}
			if current, err = c.openStream(ctx, server); err == nil {
				for _, batch := range unanswered {
					current.send(batch)
				}
				if !more {
					current.send(nil)
				}
			}
		}
		if err == nil && len(unanswered) > 0 {
			results, err = current.receive(unanswered[0])
		} else if err == nil {
			if err = current.end(); err == nil {
				return nil
			}
		}
		if err != nil {
			current.close()
			current = nil
			if errors.Is(err, ErrProtocol) {
				return err
			}
			if len(unanswered) == 0 && !more {
				return nil // only the Summary was lost, and every answer was looked at as it came
			}
			if err = retry.failed(ctx, server, err); err != nil {
				return err
			}
			continue
		}
		retry.answered()
		unanswered = unanswered[1:]
		for _, result := range results {
			if err := use(result); err != nil {
				return err
			}
		}
	}
}

func (c *Client) unary(ctx context.Context, call func(context.Context, pb.SpragueServiceClient) error) error {
	ctx, cancel := context.WithTimeout(ctx, unaryTimeout)
	defer cancel()
	for retry := c.newRetry(); ; {
		server, err := retry.server(ctx)
		if err != nil {
			return err
		}
		if err = call(c.withToken(ctx), c.Services[server]); err == nil {
			return nil
		}
		if err = retry.failed(ctx, server, err); err != nil {
			return err
		}
	}
}

func (c *Client) withToken(ctx context.Context) context.Context {
	if c.options.Token == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+c.options.Token)
}

func dial(server string, options Options) (*grpc.ClientConn, error) {
	target := strings.TrimPrefix(server, "https://")
	local := false
	for _, prefix := range []string{"unix:", "localhost:", "127.", "[::1]:"} {
		local = local || strings.HasPrefix(target, prefix)
	}
	if options.Token != "" && target == server && !local {
		return nil, fmt.Errorf("%s: a token in the clear can be read by others; write https://%[1]s", server)
	}
	authority := options.Authority
	// A socket's path is no name that HTTP/2 allows as :authority: servers reset such calls.
	if authority == "" && strings.HasPrefix(target, "unix:") {
		authority = "localhost"
	}
	// Newer releases of gRPC say grpc.NewClient for Dial, and insecure.NewCredentials for WithInsecure.
	secure := grpc.WithInsecure()
	if target != server {
		config, err := tlsConfig(options)
		if err != nil {
			return nil, err
		}
		secure = grpc.WithTransportCredentials(credentials.NewTLS(config))
	}
	return grpc.Dial(target, secure, grpc.WithAuthority(authority),
		// Answers may be longer than the 4 MiB that gRPC takes unless told otherwise; limits.message_bytes bounds them.
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)),
		// A server that comes back is found within two seconds; the default lets it wait for up to two minutes.
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 2 * time.Second},
			MinConnectTimeout: 5 * time.Second,
		}),
		// A server that vanished without a word is noticed.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 20 * time.Second, Timeout: 10 * time.Second}))
}

func tlsConfig(options Options) (*tls.Config, error) {
	config := &tls.Config{ServerName: options.Authority, MinVersion: tls.VersionTLS12}
	if options.CA != "" {
		pem, err := os.ReadFile(options.CA)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: no certificate in PEM form", options.CA)
		}
	}
	if options.Cert != "" {
		pair, err := tls.LoadX509KeyPair(options.Cert, options.Key)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// packer makes messages of the size that the server recommends: one board a message is far slower.
type packer struct {
	boards             func() (*pb.Board, error)
	outcomeOnly        bool
	mostBytes          uint64
	mostBoards, number int
	waiting            *pb.Board // the board that did not fit
}

func newPacker(boards func() (*pb.Board, error), outcomeOnly bool, info *pb.GetServerInfoResponse) *packer {
	mostBytes := info.GetRecommendedBatchBytes()
	if limit := info.GetLimits().GetMessageBytes(); limit < mostBytes {
		mostBytes = limit
	}
	return &packer{boards: boards, outcomeOnly: outcomeOnly, mostBytes: mostBytes, mostBoards: int(info.GetLimits().GetBoardsPerBatch())}
}

// next returns the next batch; io.EOF: there are no more.
func (p *packer) next() (*pb.SolveStreamRequest, error) {
	batch := &pb.SolveStreamRequest{BatchId: uint64(p.number), OutcomeOnly: p.outcomeOnly}
	for size := uint64(0); len(batch.Boards) < p.mostBoards; {
		board := p.waiting
		p.waiting = nil
		if board == nil {
			var err error
			if board, err = p.boards(); err == io.EOF && len(batch.Boards) > 0 {
				break
			} else if err != nil {
				return nil, err
			}
		}
		encoded, err := proto.Marshal(board)
		if err != nil {
			return nil, err
		}
		size += uint64(len(encoded)) + 6 // with its tag and length
		if len(batch.Boards) > 0 && size > p.mostBytes {
			p.waiting = board
			break
		}
		batch.Boards = append(batch.Boards, board)
	}
	p.number++
	return batch, nil
}

// stream is one SolveStream call. A goroutine writes, so that answers are read meanwhile.
type stream struct {
	call     pb.SpragueService_SolveStreamClient
	requests chan *pb.SolveStreamRequest
	cancel   context.CancelFunc
	tally    *pb.Summary
}

func (c *Client) openStream(ctx context.Context, server int) (*stream, error) {
	ctx, cancel := context.WithCancel(c.withToken(ctx))
	call, err := c.Services[server].SolveStream(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	s := &stream{call: call, requests: make(chan *pb.SolveStreamRequest, window+1), cancel: cancel, tally: &pb.Summary{}}
	go func() {
		for {
			select {
			case batch := <-s.requests:
				if batch == nil {
					call.CloseSend()
					return
				}
				if call.Send(batch) != nil {
					return // receive returns the reason
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return s, nil
}

// send sends a batch; nil: there are no more.
func (s *stream) send(batch *pb.SolveStreamRequest) { s.requests <- batch }

// receive returns the results of the oldest batch that was sent and not answered.
func (s *stream) receive(batch *pb.SolveStreamRequest) ([]*pb.BoardResult, error) {
	response, err := s.next()
	if err != nil {
		return nil, err
	}
	answer := response.GetBatch()
	results := answer.GetResults()
	if answer == nil || answer.BatchId != batch.BatchId || len(results) != len(batch.Boards) {
		return nil, fmt.Errorf("%w: not the answer to batch %d of %d boards", ErrProtocol, batch.BatchId, len(batch.Boards))
	}
	s.tally.Batches++
	s.tally.Boards += uint64(len(results))
	for _, result := range results {
		if result.GetSolution() != nil {
			s.tally.Solved++
		} else {
			s.tally.Failed++
		}
	}
	return results, nil
}

// end compares the Summary with what was received.
func (s *stream) end() error {
	response, err := s.next()
	if err == nil && !proto.Equal(response.GetSummary(), s.tally) {
		return fmt.Errorf("%w: the Summary does not add up: %v after %v", ErrProtocol, response, s.tally)
	}
	return err
}

func (s *stream) next() (*pb.SolveStreamResponse, error) {
	response, err := s.call.Recv()
	if err == io.EOF {
		err = ErrIncomplete
	}
	return response, err
}

func (s *stream) close() {
	if s != nil {
		s.cancel()
	}
}

// retry is the retry policy of every call: which server is asked next, when, and when it is enough.
type retry struct {
	retryFor     time.Duration
	order        []int // by chance, so that many clients do not begin with the same server
	notBefore    []time.Time
	pauses       []time.Duration
	failingSince time.Time
}

func (c *Client) newRetry() *retry {
	servers := len(c.Services)
	r := &retry{
		retryFor:  c.options.RetryFor,
		order:     rand.New(rand.NewSource(time.Now().UnixNano())).Perm(servers),
		notBefore: make([]time.Time, servers),
		pauses:    make([]time.Duration, servers),
	}
	r.answered()
	return r
}

func (r *retry) earliest() int {
	earliest := r.order[0]
	for _, server := range r.order {
		if r.notBefore[server].Before(r.notBefore[earliest]) {
			earliest = server
		}
	}
	return earliest
}

// server returns the server to ask, once it may be asked.
func (r *retry) server(ctx context.Context) (int, error) {
	server := r.earliest()
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(time.Until(r.notBefore[server])):
		return server, nil
	}
}

func (r *retry) answered() {
	r.failingSince = time.Time{}
	for server := range r.pauses {
		r.pauses[server] = firstPause
	}
}

// failed returns nil if another attempt makes sense, and the error otherwise.
func (r *retry) failed(ctx context.Context, server int, err error) error {
	passes, retryDelay := judge(err)
	now := time.Now()
	if r.failingSince.IsZero() {
		r.failingSince = now
	}
	// Spread, so that the clients of a server that comes back do not all arrive at once.
	pause := time.Duration(float64(r.pauses[server]) * (0.5 + rand.Float64()/2))
	if r.pauses[server] *= 2; r.pauses[server] > longestPause {
		r.pauses[server] = longestPause
	}
	r.notBefore[server] = now.Add(retryDelay + pause)
	nextAttempt := r.notBefore[r.earliest()]
	if nextAttempt.Before(now) {
		nextAttempt = now
	}
	deadline, hasDeadline := ctx.Deadline()
	late := hasDeadline && !nextAttempt.Before(deadline)
	if !passes || late || ctx.Err() != nil || nextAttempt.After(r.failingSince.Add(r.retryFor)) {
		return err
	}
	return nil
}

// judge returns whether an error may pass by itself, and the pause that the server asks for.
func judge(err error) (passes bool, retryDelay time.Duration) {
	if err == ErrIncomplete {
		return true, 0
	}
	failure := status.Convert(err)
	asked := false
	for _, detail := range failure.Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok {
			asked, retryDelay = true, info.GetRetryDelay().AsDuration()
		}
	}
	switch failure.Code() {
	case codes.Unavailable, codes.Canceled:
		return true, retryDelay
	case codes.ResourceExhausted:
		return asked, retryDelay
	case codes.Internal, codes.Unknown:
		// The server puts details into every status of its own; without them, gRPC says so of a connection that broke.
		return len(failure.Proto().GetDetails()) == 0, 0
	default:
		return false, 0
	}
}
