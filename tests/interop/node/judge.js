// Judge files: their text to boards, and results to the text that the judge expects.
//
//   node judge.js FORMAT INPUT OUTPUT SERVER...
//
// OPTIONS in the environment are the client's, as JSON. Files are taken to be right: for faults with line and column, use `sprague validate`.

"use strict";

const fs = require("node:fs");
const { pipeline } = require("node:stream/promises");
const { Client } = require("../../../clients/javascript/sprague_client");

// Which diagonal a letter kills along; the two judges mean opposite ones.
const LETTERS = {
  codeforces138d: { L: "/", R: "\\", X: "X" },
  gdoi2016: { L: "\\", R: "/", X: "X" },
};

/** Whether the answer needs no winning moves. */
const outcomeOnly = (format) => !["uva10561", "lightoj1229"].includes(format);

/** Yields the boards of a file. */
function* read(format, text) {
  const words = text.split(/\s+/).filter(Boolean).values();
  const next = () => words.next().value;
  if (["uva10561", "lightoj1229"].includes(format)) {
    for (let left = Number(next()); left > 0; left--) yield { treblecross: { cells: next() } };
  } else if (format === "poj3537") {
    for (const cells of words) yield { treblecross: { cells: ".".repeat(Number(cells)) } };
  } else if (format in LETTERS) {
    for (const rows of words) {
      const columns = Number(next());
      const letters = Array.from({ length: Number(rows) }, next).join("");
      const cells = Array.from(letters, (letter) => LETTERS[format][letter]).join("");
      yield { darkraft: { columns, cells } };
    }
  } else if (format === "luogu-p2599") {
    for (let left = Number(next()); left > 0; left--) {
      const piles = Array.from({ length: Number(next()) }, next);
      yield { endNim: { piles: piles.filter((pile) => pile !== "0") } };
    }
  } else {
    throw new Error(`no format ${format}`);
  }
}

/** The answer of case `number`, counted from 1. */
function write(format, number, { outcome, winningCells }) {
  const wins = outcome === "OUTCOME_FIRST_PLAYER_WINS";
  const cells = winningCells.map((cell) => cell + 1).join(" ");
  switch (format) {
    case "uva10561":
      return wins ? `WINNING\n${cells}\n` : "LOSING\n\n";
    case "lightoj1229":
      return `Case ${number}: ${wins ? cells : 0}\n`;
    case "poj3537":
      return wins ? "1\n" : "2\n";
    case "luogu-p2599":
      return wins ? "1\n" : "0\n";
    default:
      return wins ? "WIN\n" : "LOSE\n";
  }
}

/** Yields the answers of a judge file. A board without an answer is a line ERROR. */
async function* answers(client, format, text) {
  let number = 0;
  for await (const { solution } of client.solveAll(read(format, text), { outcomeOnly: outcomeOnly(format) })) {
    number += 1;
    yield solution ? write(format, number, solution) : "ERROR\n";
  }
}

async function main(format, source, target, ...servers) {
  const client = new Client(servers, JSON.parse(process.env.OPTIONS ?? "{}"));
  await pipeline(answers(client, format, fs.readFileSync(source, "utf8")), fs.createWriteStream(target));
  client.close();
}

if (require.main === module) main(...process.argv.slice(2));

module.exports = { answers, outcomeOnly, read, write };
