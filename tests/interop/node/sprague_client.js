// A client of Sprague in JavaScript: connect, solve one board, stream many. Copy it and start from here.
//
//   npm install @grpc/grpc-js @grpc/proto-loader
//
//   const client = new Client("127.0.0.1:50051"); // or "unix:/run/sprague.sock"
//   (await client.solve({ treblecross: { cells: "...." } })).winningCells; // [ 1, 2 ]
//   for await (const result of client.solveAll(boards)) ...
//
// A board is { treblecross: { cells } }, { darkraft: { columns, cells } } or { endNim: { piles } }. Piles go up to
// 2^64 - 1, more than a number holds exactly: they may be strings, and long fields of answers are strings.

"use strict";

const path = require("node:path");
const { Readable } = require("node:stream");
const grpc = require("@grpc/grpc-js");
const loader = require("@grpc/proto-loader");

const PROTOS = path.join(__dirname, "../../../proto"); // where sprague/v1/sprague.proto is
const definition = loader.loadSync("sprague/v1/sprague.proto", {
  includeDirs: [PROTOS],
  longs: String,
  enums: String,
  defaults: true,
  oneofs: true,
});
const { SpragueService } = grpc.loadPackageDefinition(definition).sprague.v1;

/** The board has no answer: `reason` and `offset` say why to programs. */
class BoardFault extends Error {
  constructor({ reason, message, offset }) {
    super(message);
    this.reason = reason;
    this.offset = offset;
  }
}

/** The stream ended, but not everything that was sent was answered. */
class Incomplete extends Error {}

/** The options of a call that fails with DEADLINE_EXCEEDED after so many milliseconds; none: it may take for ever. */
function within(milliseconds) {
  return milliseconds === undefined ? {} : { deadline: Date.now() + milliseconds };
}

class Client {
  constructor(address) {
    this.stub = new SpragueService(address, grpc.credentials.createInsecure(), {
      // Answers can be longer than the 4 MiB that gRPC takes unless told otherwise; the server bounds them.
      "grpc.max_receive_message_length": -1,
    });
  }

  close() {
    this.stub.close();
  }

  /** The server's version, games and limits. */
  info() {
    return this.unary("getServerInfo", {}, 10_000);
  }

  /** The solution of one board. Throws BoardFault; an error with a `code` when the call itself failed. */
  async solve(board, { outcomeOnly = false, timeout = 10_000 } = {}) {
    const { result } = await this.unary("solve", { board, outcomeOnly }, timeout);
    if (result.error) throw new BoardFault(result.error);
    return result.solution;
  }

  unary(method, request, timeout) {
    return new Promise((resolve, reject) => {
      this.stub[method](request, within(timeout), (error, response) => (error ? reject(error) : resolve(response)));
    });
  }

  /**
   * Yields one result a board, in order: { solution } or { error }. Boards are taken from the iterable as the server
   * takes them. Throws Incomplete, or an error with a `code`, where the stream ended before its time.
   */
  async *solveAll(boards, { outcomeOnly = false, timeout } = {}) {
    const info = await this.info();
    const sent = []; // boards of each batch
    const call = this.stub.solveStream(within(timeout));
    // Piping keeps to the server's pace: it waits where the call takes no more.
    const upload = Readable.from(batches(boards, outcomeOnly, info, sent), { highWaterMark: 1 });
    upload.on("error", (error) => call.destroy(error));
    upload.pipe(call);
    let answered = 0;
    let solved = 0;
    try {
      for await (const { batch, summary } of call) {
        if (summary) {
          const boards = sent.reduce((sum, count) => sum + count, 0);
          const expected = [sent.length, boards, solved, boards - solved].join();
          const found = [summary.batches, summary.boards, summary.solved, summary.failed].join();
          if (answered !== sent.length || found !== expected) {
            throw new Incomplete(`the summary does not add up: ${found} after ${expected}`);
          }
          return;
        }
        if (batch.batchId !== String(answered) || batch.results.length !== sent[answered]) {
          throw new Incomplete(`batch ${answered} was answered as batch ${batch.batchId}`);
        }
        answered += 1;
        solved += batch.results.filter((result) => result.solution).length;
        yield* batch.results;
      }
      throw new Incomplete("the stream ended without a summary");
    } finally {
      call.cancel(); // of no effect once the call is over
      upload.destroy();
    }
  }
}

/** Packs boards into messages of about the size that the server recommends: one board a message is far slower. */
function* batches(boards, outcomeOnly, info, sent) {
  const pack = (batch) => ({ batchId: sent.push(batch.length) - 1, boards: batch, outcomeOnly });
  let batch = [];
  let size = 0;
  for (const board of boards) {
    const bytes = bound(board);
    if (batch.length && (size + bytes > info.recommendedBatchBytes || batch.length === info.limits.boardsPerBatch)) {
      yield pack(batch);
      batch = [];
      size = 0;
    }
    batch.push(board);
    size += bytes;
  }
  if (batch.length) yield pack(batch);
}

/** The size of a board on the wire at most: a varint takes up to 10 bytes, tags and lengths up to 24. */
function bound({ treblecross, darkraft, endNim }) {
  const cells = (treblecross ?? darkraft)?.cells ?? "";
  return 24 + cells.length + 10 * (endNim?.piles.length ?? 0);
}

module.exports = { BoardFault, Client, Incomplete, within };
