# Response messages, as `buf curl` prints them, to the answer file of a judge: jq -rjn --arg format ... -f answers.jq

def answer($number):
  (.solution.outcome == "OUTCOME_FIRST_PLAYER_WINS") as $wins
  | ([.solution.winningCells[]? + 1 | tostring] | join(" ")) as $cells
  | if .error then "ERROR"
    elif $format == "uva10561" then if $wins then "WINNING\n" + $cells else "LOSING\n" end
    elif $format == "lightoj1229" then "Case \($number): " + if $wins then $cells else "0" end
    elif $format == "poj3537" then if $wins then "1" else "2" end
    elif $format == "luogu-p2599" then if $wins then "1" else "0" end
    else if $wins then "WIN" else "LOSE" end
    end;

foreach (inputs.batch.results[]?) as $result (0; . + 1; . as $number | $result | answer($number) + "\n")
