// A client of Sprague in JavaScript, made to be copied. docs/writing-a-client.md says why it does what it does.
//
//   npm install
//
//   const client = new Client("127.0.0.1:50051"); // or "unix:/run/sprague.sock", or a list of servers
//   (await client.solve({ treblecross: { cells: "...." } })).winningCells; // [ 1, 2 ]
//   for await (const result of client.solveAll(boards)) ...
//
// A board is { treblecross: { cells } }, { darkraft: { columns, cells } } or { endNim: { piles } }. Piles go up to
// 2^64 - 1, more than a number holds exactly: they may be strings, and long fields of answers are strings.

"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { setTimeout: sleep } = require("node:timers/promises");
const grpc = require("@grpc/grpc-js");
const loader = require("@grpc/proto-loader");
const protobuf = require("protobufjs");

const WINDOW = 16; // batches sent and not yet answered: they are kept, so that they can be sent again
const [FIRST_PAUSE, LONGEST_PAUSE] = [50, 2000]; // milliseconds that a server is left alone after it failed
const { status } = grpc;

const PROTOS = path.join(__dirname, "../../proto"); // where sprague/v1/sprague.proto is
const definition = loader.loadSync("sprague/v1/sprague.proto", {
  includeDirs: [PROTOS],
  longs: String,
  enums: String,
  defaults: true,
  oneofs: true,
});
const { SpragueService } = grpc.loadPackageDefinition(definition).sprague.v1;

// The parts of google.rpc.Status and RetryInfo that are looked at.
const { root: rpc } = protobuf.parse(`
  syntax = "proto3";
  message Status { repeated Any details = 3; }
  message Any { string type_url = 1; bytes value = 2; }
  message RetryInfo { Duration retry_delay = 1; }
  message Duration { int64 seconds = 1; int32 nanos = 2; }
`);

/** The board has no answer: `reason` and `offset` say why to programs. */
class BoardFault extends Error {
  constructor({ reason, message, offset }) {
    super(message);
    this.reason = reason;
    this.offset = offset;
  }
}

/** The stream ended with status OK before everything was answered. */
class Incomplete extends Error {}

/** The server's answers do not fit what was sent. */
class ProtocolError extends Error {}

/** The options of a call that fails with DEADLINE_EXCEEDED after so many milliseconds; none: it may take for ever. */
function within(milliseconds) {
  return milliseconds === undefined ? {} : { deadline: Date.now() + milliseconds };
}

/**
 * Asks one server at a time; when it fails, another one, or the same one again.
 *
 * servers: "HOST:PORT", "unix:/path", "https://HOST:PORT" for TLS, or any other target that gRPC knows; or a list.
 * ca, cert, key: PEM files for TLS; without ca, the authorities of Node are believed.
 * token: a bearer token. It leaves this machine over TLS only.
 * authority: the name to send as :authority, and to find in the server's certificate.
 * retryFor: how many milliseconds to go on without any answer before the last error is thrown.
 */
class Client {
  constructor(servers, { ca, cert, key, token, authority, retryFor = 30_000 } = {}) {
    const pem = [ca, key, cert].map((file) => (file ? fs.readFileSync(file) : null));
    const tls = grpc.credentials.createSsl(...pem);
    this.servers = [servers].flat();
    this.stubs = this.servers.map((server) => connect(server, tls, token, authority));
    if (!this.servers.length) throw new Error("name at least one server");
    this.metadata = new grpc.Metadata();
    if (token) this.metadata.set("authorization", `Bearer ${token}`);
    this.retryFor = retryFor;
  }

  close() {
    for (const stub of this.stubs) stub.close();
  }

  /** The version, games and limits of a server. */
  info({ timeout = 10_000 } = {}) {
    return this.#unary("GetServerInfo", {}, this.#retry(timeout));
  }

  /** The solution of one board. Throws BoardFault; an error with a `code` when the call itself failed. */
  async solve(board, { outcomeOnly = false, timeout = 10_000 } = {}) {
    const { result } = await this.#unary("Solve", { board, outcomeOnly }, this.#retry(timeout));
    if (result.error) throw new BoardFault(result.error);
    return result.solution;
  }

  /**
   * Yields one result a board, in order, each once: { solution } or { error }.
   *
   * Boards are taken from the iterable, which may be asynchronous, as answers are taken: at most WINDOW batches are
   * kept. What was sent and not answered when a stream breaks is sent again. Throws Incomplete, or an error with a
   * `code`, where that did not help.
   */
  async *solveAll(boards, { outcomeOnly = false, timeout } = {}) {
    const retry = this.#retry(timeout);
    const batches = pack(boards, outcomeOnly, await this.#unary("GetServerInfo", {}, retry));
    const unanswered = [];
    let [stream, server, more] = [null, 0, true];
    try {
      for (;;) {
        while (more && unanswered.length < WINDOW) {
          const { value: batch, done } = await batches.next();
          more = !done;
          if (more) unanswered.push(batch);
          stream?.send(batch); // undefined: there are no more
        }
        let results;
        try {
          if (!stream) {
            server = await retry.server();
            stream = new Stream(this.stubs[server].solveStream(this.metadata, retry.options()));
            for (const batch of unanswered) stream.send(batch);
            if (!more) stream.send();
          }
          if (!unanswered.length) return await stream.end();
          results = await stream.receive(unanswered[0]);
        } catch (error) {
          stream.close();
          stream = null;
          if (error instanceof ProtocolError) throw error;
          if (!unanswered.length && !more) return; // only the Summary was lost, and every answer was looked at as it came
          retry.failed(server, error);
          continue;
        }
        retry.answered();
        unanswered.shift();
        yield* results;
      }
    } finally {
      stream?.close();
      await batches.return();
    }
  }

  #retry(timeout) {
    return new Retry(this.stubs.length, this.retryFor, timeout);
  }

  async #unary(method, request, retry) {
    SpragueService.service[method].requestSerialize(request); // throws if it is no request
    for (;;) {
      const server = await retry.server();
      try {
        const response = await new Promise((resolve, reject) => {
          const done = (error, response) => (error ? reject(error) : resolve(response));
          this.stubs[server][method](request, this.metadata, retry.options(), done);
        });
        retry.answered();
        return response;
      } catch (error) {
        retry.failed(server, error);
      }
    }
  }
}

function connect(server, tls, token, authority) {
  const target = server.replace(/^https:\/\//, "");
  const local = /^(unix:|localhost:|127\.|\[::1\]:)/.test(target);
  if (token && target === server && !local) {
    throw new Error(`${server}: a token in the clear can be read by others; write https://${server}`);
  }
  return new SpragueService(target, target === server ? grpc.credentials.createInsecure() : tls, {
    // Answers may be longer than the 4 MiB that gRPC takes unless told otherwise; limits.messageBytes bounds them.
    "grpc.max_receive_message_length": -1,
    // A server that comes back is found within two seconds; the default lets it wait for up to two minutes.
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 2_000,
    // A server that vanished without a word is noticed.
    "grpc.keepalive_time_ms": 20_000,
    "grpc.keepalive_timeout_ms": 10_000,
    // A socket's path, or a list of addresses, is no name that HTTP/2 allows as :authority. grpc-js sends one that is
    // ("localhost", the first address); the name in the certificate, where it is another, has to be given.
    ...(authority && { "grpc.default_authority": authority, "grpc.ssl_target_name_override": authority }),
  });
}

/** Packs boards into messages of the size that the server recommends: one board a message is far slower. */
async function* pack(boards, outcomeOnly, { recommendedBatchBytes, limits }) {
  const { requestSerialize } = SpragueService.service.SolveStream;
  const mostBytes = Math.min(recommendedBatchBytes, limits.messageBytes);
  let [batchId, batch, size] = [0, [], 0];
  for await (const board of boards) {
    const bytes = requestSerialize({ boards: [board] }).length; // throws if it is no board
    if (batch.length && (size + bytes > mostBytes || batch.length === limits.boardsPerBatch)) {
      yield { batchId: batchId++, boards: batch, outcomeOnly };
      [batch, size] = [[], 0];
    }
    batch.push(board);
    size += bytes;
  }
  if (batch.length) yield { batchId, boards: batch, outcomeOnly };
}

/** One SolveStream call. What is written waits in memory, WINDOW batches at most, while answers are read. */
class Stream {
  constructor(call) {
    this.call = call;
    this.responses = call[Symbol.asyncIterator]();
    this.tally = { batches: 0, boards: 0, solved: 0, failed: 0 };
    call.on("error", (error) => (this.error = error));
  }

  /** Sends a batch; undefined: there are no more. */
  send(batch) {
    if (batch) this.call.write(batch);
    else this.call.end();
  }

  /** The results of the oldest batch that was sent and not answered. */
  async receive({ batchId, boards }) {
    const { batch } = await this.#next();
    if (!batch || batch.batchId !== String(batchId) || batch.results.length !== boards.length) {
      throw new ProtocolError(`not the answer to batch ${batchId} of ${boards.length} boards`);
    }
    const solved = batch.results.filter((result) => result.solution).length;
    this.tally.batches += 1;
    this.tally.boards += boards.length;
    this.tally.solved += solved;
    this.tally.failed += boards.length - solved;
    return batch.results;
  }

  /** Compares the Summary with what was received. */
  async end() {
    const response = await this.#next();
    for (const [name, count] of Object.entries(this.tally)) {
      if (response.summary?.[name] !== String(count)) {
        throw new ProtocolError(`the Summary does not add up: ${JSON.stringify([response, this.tally])}`);
      }
    }
  }

  async #next() {
    const { value, done } = await this.responses.next();
    if (done) throw this.error ?? new Incomplete("the stream ended without a Summary");
    return value;
  }

  close() {
    this.call.cancel(); // of no effect once the call is over
  }
}

/** The retry policy of every call: which server is asked next, when, and when it is enough. */
class Retry {
  constructor(servers, retryFor, timeout = Infinity) {
    this.retryFor = retryFor;
    this.deadline = Date.now() + timeout;
    this.first = Math.floor(Math.random() * servers); // so that many clients do not begin with the same server
    this.notBefore = new Array(servers).fill(0);
    this.answered();
  }

  /** The options of the next call. */
  options() {
    return this.deadline === Infinity ? {} : { deadline: this.deadline };
  }

  /** The server to ask, once it may be asked. */
  async server() {
    const earliest = Math.min(...this.notBefore);
    const server = this.notBefore[this.first] === earliest ? this.first : this.notBefore.indexOf(earliest);
    if (earliest > Date.now()) await sleep(earliest - Date.now());
    return server;
  }

  answered() {
    this.failingSince = undefined;
    this.pauses = this.notBefore.map(() => FIRST_PAUSE);
  }

  /** Returns if another attempt makes sense, and throws the error otherwise. */
  failed(server, error) {
    const { passes, retryDelay } = judgeError(error);
    const now = Date.now();
    this.failingSince ??= now;
    // Spread, so that the clients of a server that comes back do not all arrive at once.
    const pause = this.pauses[server] * (0.5 + Math.random() / 2);
    this.pauses[server] = Math.min(2 * this.pauses[server], LONGEST_PAUSE);
    this.notBefore[server] = now + retryDelay + pause;
    const nextAttempt = Math.max(Math.min(...this.notBefore), now);
    if (!passes || nextAttempt >= this.deadline || nextAttempt > this.failingSince + this.retryFor) throw error;
  }
}

/** Whether an error may pass by itself, and the pause that the server asks for, in milliseconds. */
function judgeError(error) {
  if (error instanceof Incomplete) return { passes: true, retryDelay: 0 };
  const [bytes] = error.metadata?.get("grpc-status-details-bin") ?? [];
  const details = bytes ? rpc.lookupType("Status").decode(bytes).details : [];
  const retryInfo = details.find(({ typeUrl }) => typeUrl.endsWith("/google.rpc.RetryInfo"));
  let retryDelay = 0;
  if (retryInfo) {
    const { seconds = 0, nanos = 0 } = rpc.lookupType("RetryInfo").decode(retryInfo.value).retryDelay ?? {};
    retryDelay = 1000 * Number(seconds) + nanos / 1e6;
  }
  if (error.code === status.RESOURCE_EXHAUSTED) return { passes: retryInfo !== undefined, retryDelay };
  // The server puts details into every status of its own; without them, gRPC says so of a connection that broke.
  const broken = !bytes && [status.INTERNAL, status.UNKNOWN].includes(error.code);
  return { passes: broken || [status.UNAVAILABLE, status.CANCELLED].includes(error.code), retryDelay };
}

module.exports = { BoardFault, Client, Incomplete, ProtocolError, within };
