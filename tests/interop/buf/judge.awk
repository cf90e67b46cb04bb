# A judge file of FORMAT to request messages as JSON, BATCH boards each: awk -v FORMAT=... -v BATCH=... -f judge.awk FILE

function put(board) {
    printf "%s%s", count ? "," : "{\"batchId\":" id++ ",\"outcomeOnly\":" only ",\"boards\":[", board
    if (++count == BATCH) close_batch()
}
function close_batch() {
    if (count) print "]}"
    count = 0
}
function repeat(text, times,    all) {
    for (all = ""; times > 0; times = int(times / 2)) {
        if (times % 2) all = all text
        text = text text
    }
    return all
}
# Letters of the two judges mean opposite diagonals. In JSON a backslash is written twice.
function cells_of(word,    cells, at, letter) {
    for (at = 1; at <= length(word); at++) {
        letter = substr(word, at, 1)
        cells = cells (letter == "X" ? "X" : (letter == "L") == (FORMAT == "gdoi2016") ? "\\\\" : "/")
    }
    return cells
}
BEGIN { only = FORMAT ~ /^(uva10561|lightoj1229)$/ ? "false" : "true" }
{ for (field = 1; field <= NF; field++) words[++total] = $field }
END {
    next_word = FORMAT ~ /^(uva10561|lightoj1229|luogu-p2599)$/ ? 2 : 1 # behind T
    while (next_word <= total) {
        if (FORMAT == "poj3537") {
            put("{\"treblecross\":{\"cells\":\"" repeat(".", words[next_word++]) "\"}}")
        } else if (FORMAT == "luogu-p2599") {
            piles = ""
            for (left = words[next_word++]; left > 0; left--) {
                if (words[next_word] != "0") piles = piles (piles == "" ? "" : ",") "\"" words[next_word] "\""
                next_word++
            }
            put("{\"endNim\":{\"piles\":[" piles "]}}")
        } else if (FORMAT ~ /^(codeforces138d|gdoi2016)$/) {
            rows = words[next_word++]
            columns = words[next_word++]
            cells = ""
            for (; rows > 0; rows--) cells = cells words[next_word++]
            put("{\"darkraft\":{\"columns\":" columns ",\"cells\":\"" cells_of(cells) "\"}}")
        } else {
            put("{\"treblecross\":{\"cells\":\"" words[next_word++] "\"}}")
        }
    }
    close_batch()
}
