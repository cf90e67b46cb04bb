// Streams boards as plain gRPC for Node does it: a message as soon as the call takes one. See ../streams.py.
//
//   node stream.js ADDRESS BOARDS BOARD_CELLS BATCH OUTPUT

"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const { Readable } = require("node:stream");
const { pipeline } = require("node:stream/promises");
const { Client } = require("../../../clients/javascript/sprague_client");

const OUTCOMES = { OUTCOME_FIRST_PLAYER_WINS: "1", OUTCOME_SECOND_PLAYER_WINS: "2" };

/** `cells` of each board, or 12 to 292 by turns where that is 0. */
function* requests(boards, cells, batch) {
  for (let sent = 0; sent < boards; sent += batch) {
    const rows = [];
    for (let number = sent; number < Math.min(sent + batch, boards); number++) {
      rows.push({ treblecross: { cells: ".".repeat(cells || 12 + ((number * 89) % 281)) } });
    }
    yield { batchId: sent / batch, boards: rows };
  }
}

async function main(address, ...words) {
  const output = words.pop();
  const [boards, cells, batch] = words.map(Number);
  const client = new Client(address);
  const call = client.stubs[0].solveStream();
  Readable.from(requests(boards, cells, batch), { highWaterMark: 1 }).pipe(call);
  let [batches, summary] = [0, undefined];
  async function* answers() {
    for await (const response of call) {
      if (response.summary) {
        summary = response.summary;
        continue;
      }
      assert.equal(response.batch.batchId, String(batches++));
      yield response.batch.results.map(({ solution }) => OUTCOMES[solution?.outcome] ?? "E").join("");
    }
  }
  await pipeline(answers, fs.createWriteStream(output));
  assert.deepEqual({ ...summary }, { batches: `${batches}`, boards: `${boards}`, solved: `${boards}`, failed: "0" });
  client.close();
}

main(...process.argv.slice(2));
