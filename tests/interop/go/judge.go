package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"sprague.example/client"
	pb "sprague.example/client/spraguev1"
)

// Which diagonal a letter kills along; the two judges mean opposite ones.
var letters = map[string]*strings.Replacer{
	"codeforces138d": strings.NewReplacer("L", "/", "R", "\\"),
	"gdoi2016":       strings.NewReplacer("L", "\\", "R", "/"),
}

// judge answers a judge file; OPTIONS in the environment are the client's, as JSON. The file is taken to be right: for faults with line and column, use `sprague validate`.
func judge(format, source, target string, servers []string) error {
	var options client.Options
	if text := os.Getenv("OPTIONS"); text != "" {
		if err := json.Unmarshal([]byte(text), &options); err != nil {
			return err
		}
	}
	c, err := client.Dial(options, servers...)
	if err != nil {
		return err
	}
	defer c.Close()
	input, err := os.Open(source)
	if err != nil {
		return err
	}
	defer input.Close()
	output, err := os.Create(target)
	if err != nil {
		return err
	}
	written := bufio.NewWriter(output)
	if err := answers(c, format, input, written); err != nil {
		return err
	}
	if err := written.Flush(); err != nil {
		return err
	}
	return output.Close()
}

// answers writes the answers of a judge file. A board without an answer is a line ERROR.
func answers(c *client.Client, format string, input io.Reader, output io.Writer) error {
	number := 0
	write := func(result *pb.BoardResult) error {
		number++
		line := "ERROR\n"
		if solution := result.GetSolution(); solution != nil {
			line = answer(format, number, solution)
		}
		_, err := io.WriteString(output, line)
		return err
	}
	outcomeOnly := format != "uva10561" && format != "lightoj1229"
	return c.SolveAll(context.Background(), boards(format, input), write, outcomeOnly)
}

// boards returns a function that takes one board after another out of a judge file.
func boards(format string, input io.Reader) func() (*pb.Board, error) {
	words := bufio.NewScanner(input)
	words.Buffer(nil, 16<<20)
	words.Split(bufio.ScanWords)
	word := func() string { words.Scan(); return words.Text() }
	number := func() uint64 { value, _ := strconv.ParseUint(word(), 10, 64); return value }
	left := int64(-1) // no count in front
	if format == "uva10561" || format == "lightoj1229" || format == "luogu-p2599" {
		left = int64(number())
	}
	return func() (*pb.Board, error) {
		if left == 0 {
			return nil, io.EOF
		}
		left--
		first := word()
		if first == "" {
			return nil, io.EOF
		}
		count, _ := strconv.Atoi(first)
		switch format {
		case "uva10561", "lightoj1229":
			return client.Treblecross(first), nil
		case "poj3537":
			return client.Treblecross(strings.Repeat(".", count)), nil
		case "luogu-p2599":
			var piles []uint64
			for ; count > 0; count-- {
				if pile := number(); pile > 0 {
					piles = append(piles, pile)
				}
			}
			return client.EndNim(piles...), nil
		default:
			columns, cells := number(), ""
			for ; count > 0; count-- {
				cells += word()
			}
			return client.Darkraft(uint32(columns), letters[format].Replace(cells)), nil
		}
	}
}

// answer writes the answer of one case, counted from 1.
func answer(format string, number int, solution *pb.Solution) string {
	wins := solution.GetOutcome() == pb.Outcome_OUTCOME_FIRST_PLAYER_WINS
	either := func(first, second string) string {
		if wins {
			return first
		}
		return second
	}
	var words []string
	for _, cell := range solution.GetWinningCells() {
		words = append(words, strconv.Itoa(int(cell)+1))
	}
	cells := strings.Join(words, " ")
	switch format {
	case "uva10561":
		return either("WINNING\n"+cells+"\n", "LOSING\n\n")
	case "lightoj1229":
		return fmt.Sprintf("Case %d: %s\n", number, either(cells, "0"))
	case "poj3537":
		return either("1\n", "2\n")
	case "luogu-p2599":
		return either("1\n", "0\n")
	default:
		return either("WIN\n", "LOSE\n")
	}
}
