// Runs the client against a real server, over TCP and a Unix socket, and against one whose solver is slow.
//
//   npm install --install-links ../../../clients/javascript .
//   SPRAGUED=target/release/spragued SLOW_SERVER=target/release/examples/slow_server node run.js

"use strict";

const assert = require("node:assert/strict");
const { once } = require("node:events");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { Readable } = require("node:stream");
const grpc = require("@grpc/grpc-js");
const loader = require("@grpc/proto-loader");
const protobuf = require("protobufjs");
const judge = require("./judge");
const { withSlowServer, withSpragued } = require("./programs");
const { BoardFault, Client, within } = require("../../../clients/javascript/sprague_client");

const CASES = path.join(__dirname, "../../cases");
const SERVICE = "sprague.v1.SpragueService";
const { status } = grpc;

// The part of google.rpc.Status that is looked at.
const { root: rpc } = protobuf.parse(`
  syntax = "proto3";
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message Any { string type_url = 1; bytes value = 2; }
  message ErrorInfo { string reason = 1; string domain = 2; }
  message BadRequest { repeated FieldViolation field_violations = 1; }
  message FieldViolation { string field = 1; string description = 2; }
`);

const row = (cells) => ({ treblecross: { cells } });
const grid = (columns, cells) => ({ darkraft: { columns, cells } });
const piles = (...piles) => ({ endNim: { piles } });

async function collect(items) {
  const all = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The status with which something fails. */
async function codeOf(promise) {
  return promise.then(
    () => status.OK,
    (error) => error.code ?? Promise.reject(error),
  );
}

/** The typed details of a failed call, by type. */
function detailsOf(error) {
  const [bytes] = error.metadata.get("grpc-status-details-bin");
  const found = {};
  for (const { typeUrl, value } of rpc.lookupType("Status").decode(bytes).details) {
    const type = typeUrl.split(".").pop();
    if (rpc.get(type)) found[type] = rpc.lookupType(type).decode(value);
  }
  return found;
}

/** All answers to the given request messages, which are sent as fast as the call takes them. */
function exchange(client, requests, timeout, metadata = new grpc.Metadata()) {
  const call = client.stubs[0].solveStream(metadata, within(timeout));
  const upload = Readable.from(requests, { highWaterMark: 1 });
  upload.pipe(call);
  return collect(call).finally(() => upload.destroy());
}

/** A client for one of the services beside Sprague's own, from a proto file that a package ships. */
function beside(client, inPackage, proto, name) {
  const file = path.join(path.dirname(require.resolve(`${inPackage}/package.json`)), proto);
  const definition = loader.loadSync(file, { enums: String, defaults: true, oneofs: true });
  const Service = grpc.makeGenericClientConstructor(definition[name], name);
  return new Service(client.stubs[0].getChannel().getTarget(), grpc.credentials.createInsecure());
}

const FAST = {
  async "solves one board of each game"(client) {
    const zone = await client.solve(row("....."));
    assert.deepEqual([zone.outcome, zone.valueKind, zone.nimValue], ["OUTCOME_FIRST_PLAYER_WINS", "VALUE_KIND_NIMBER", 2]);
    const won = await client.solve(row("X.XX."));
    assert.deepEqual([won.winningCells, won.valueKind], [[1, 4], "VALUE_KIND_IMMEDIATE_WIN"]);
    const raft = await client.solve(grid(2, "X/\\X"));
    assert.deepEqual([raft.outcome, raft.valueKind], ["OUTCOME_FIRST_PLAYER_WINS", "VALUE_KIND_NIMBER"]);
    assert.equal((await client.solve(piles(1, 1, 2, 2))).outcome, "OUTCOME_SECOND_PLAYER_WINS");
    const { winningEnds } = await client.solve(piles("18446744073709551615"));
    assert.deepEqual(winningEnds.map(({ end, take }) => [end, take]), [["END_LEFT", "18446744073709551615"]]);
    const short = await client.solve(row("....."), { outcomeOnly: true });
    assert.deepEqual([short.valueKind, short.winningCells], ["VALUE_KIND_NOT_ASKED", []]);
  },

  async "a bad board is an error of its own"(client) {
    const fault = await client.solve(row("..x.")).catch((error) => error);
    assert.ok(fault instanceof BoardFault);
    assert.deepEqual([fault.reason, fault.offset], ["REASON_BAD_CELL", 2]);
  },

  async "bad boards leave the others their answers"(client) {
    const good = [row("......."), grid(3, "X/\\X/\\X/\\"), piles(3, 1, 2), piles()];
    const bad = [
      [{}, "REASON_NO_GAME"],
      [row("..O.."), "REASON_BAD_CELL", 2],
      [row("..XXX"), "REASON_ALREADY_WON", 2],
      [row(".."), "REASON_TOO_SHORT"],
      [row(".".repeat(1_000_001)), "REASON_TOO_MANY_CELLS"],
      [grid(2, "XX\\"), "REASON_RAGGED"],
      [grid(0, ""), "REASON_EMPTY"],
      [grid(2, "XL"), "REASON_BAD_CELL", 1],
      [grid(65, "X".repeat(65)), "REASON_TOO_MANY_CELLS"],
      [piles(4, 0, 1), "REASON_PILE_ZERO", 1],
      [{ endNim: { piles: new Array(1_000_001).fill(1) } }, "REASON_TOO_MANY_PILES"],
    ];
    const results = await collect(client.solveAll(bad.flatMap(([board]) => [...good, board])));
    assert.equal(results.length, 5 * bad.length);
    const expected = await Promise.all(good.map((board) => client.solve(board)));
    bad.forEach(([, reason, offset], index) => {
      const five = results.slice(5 * index, 5 * index + 5);
      assert.deepEqual(five.slice(0, 4).map((result) => result.solution), expected);
      assert.deepEqual([five[4].error.reason, five[4].error.offset], [reason, offset]);
      assert.ok(five[4].error.message);
    });
  },

  async "an empty stream has a summary"(client) {
    assert.deepEqual(await collect(client.solveAll([])), []);
    const [{ batch }, { summary }] = await exchange(client, [{ batchId: 7 }]);
    assert.deepEqual([batch.batchId, batch.results, summary.boards], ["7", [], "0"]);
  },

  async "answers over four mebibytes arrive"(client) {
    const board = row("X.X.".repeat(200_000));
    const [{ batch }, { summary }] = await exchange(client, [{ boards: new Array(5).fill(board) }]);
    assert.equal(batch.results.map(({ solution }) => solution.winningCells.length).join(), new Array(5).fill(399_999).join());
    assert.equal(summary.solved, "5");
  },

  async "health knows the server and the service"(client) {
    const health = beside(client, "grpc-health-check", "proto/health/v1/health.proto", "grpc.health.v1.Health");
    const check = (service) =>
      new Promise((resolve, reject) => {
        health.check({ service }, within(10_000), (error, answer) => (error ? reject(error) : resolve(answer.status)));
      });
    for (const service of ["", SERVICE]) {
      assert.equal(await check(service), "SERVING");
      const watch = health.watch({ service }, within(10_000));
      watch.on("error", () => {}); // its cancellation
      const [answer] = await once(watch, "data");
      assert.equal(answer.status, "SERVING");
      watch.cancel();
    }
    assert.equal(await codeOf(check("sprague.v1.Nothing")), status.NOT_FOUND);
    health.close();
  },

  async "reflection describes the service"(client) {
    for (const version of ["v1", "v1alpha"]) {
      const proto = `build/proto/grpc/reflection/${version}/reflection.proto`;
      const reflection = beside(client, "@grpc/reflection", proto, `grpc.reflection.${version}.ServerReflection`);
      const call = reflection.serverReflectionInfo(within(10_000));
      call.write({ listServices: "" });
      call.end({ fileContainingSymbol: SERVICE });
      const [services, file] = await collect(call);
      assert.ok(services.listServicesResponse.service.some(({ name }) => name === SERVICE));
      assert.ok(file.fileDescriptorResponse.fileDescriptorProto.some((bytes) => bytes.includes("SolveStream")));
      reflection.close();
    }
  },

  async "a batch over the limit is invalid argument"(client) {
    const { limits } = await client.info();
    const of = (count) => ({ boards: new Array(count).fill({}) });
    const [{ batch }] = await exchange(client, [of(limits.boardsPerBatch)]);
    assert.equal(batch.results.length, limits.boardsPerBatch);
    const more = { boards: new Array(1000).fill(row(".".repeat(60))) };
    for (const uploadedAfter of [0, 1, 10, 300, 0, 1, 10, 300]) {
      const requests = [more, of(limits.boardsPerBatch + 1), ...new Array(uploadedAfter).fill(more)];
      const error = await exchange(client, requests).catch((error) => error);
      assert.equal(error.code, status.INVALID_ARGUMENT, `${uploadedAfter} after it: ${error}`);
      const { ErrorInfo, BadRequest } = detailsOf(error);
      assert.deepEqual([ErrorInfo.reason, ErrorInfo.domain], ["TOO_MANY_BOARDS", "sprague.v1"]);
      assert.equal(BadRequest.fieldViolations[0].field, "boards");
    }
  },

  async "a message over the limit is out of range"(client) {
    const { limits } = await client.info();
    const board = row(".".repeat(Number(limits.messageBytes) + 1));
    assert.equal(await codeOf(client.solve(board)), status.OUT_OF_RANGE);
    assert.equal(await codeOf(collect(client.solveAll([board]))), status.OUT_OF_RANGE);
  },

  async "a cancelled upload leaves the server to others"(client) {
    function* forever() {
      for (;;) yield { boards: new Array(300).fill(row(".".repeat(200))) };
    }
    for (let times = 0; times < 20; times++) {
      const call = client.stubs[0].solveStream();
      const upload = Readable.from(forever(), { highWaterMark: 1 });
      upload.pipe(call);
      await once(call, "data");
      call.cancel();
      assert.equal(await codeOf(collect(call)), status.CANCELLED);
      upload.destroy();
    }
    assert.deepEqual((await client.solve(row("...."))).winningCells, [1, 2]);
  },

  async "boards are taken as answers are taken"(client) {
    let [taken, answered, ahead] = [0, 0, 0];
    function* rows() {
      for (; taken < 100_000; taken++) yield row(".".repeat(200));
    }
    for await (const _ of client.solveAll(rows())) ahead = Math.max(ahead, taken - ++answered);
    const batch = (await client.info()).recommendedBatchBytes / 200;
    assert.ok(batch < ahead && ahead <= 17 * batch, `${ahead} ahead`);
  },

  async "an error of the caller's ends the run"(client) {
    for (const broken of [new Error("the file is broken"), Object.assign(new Error(), { code: status.UNAVAILABLE })]) {
      async function* rows() {
        for (let count = 0; count < 50_000; count++) yield row(".".repeat(200));
        throw broken;
      }
      assert.equal(await collect(client.solveAll(rows())).catch((error) => error), broken);
    }
    const noBoard = { endNim: { piles: "many" } };
    for (const attempt of [() => client.solve(noBoard), () => collect(client.solveAll([noBoard]))]) {
      const start = Date.now();
      await assert.rejects(attempt, TypeError);
      assert.ok(Date.now() - start < 1000, "tried again");
    }
  },

  // Of a socket's path, and of several addresses, grpc-js makes an :authority that HTTP/2 allows; of its own accord only.
  async "an authority that HTTP/2 allows lets a call in"(client) {
    for (const [authority, accepted] of [[undefined, true], ["localhost", true], ["/run/sprague.sock", false]]) {
      const options = authority ? { "grpc.default_authority": authority } : {};
      const service = new client.stubs[0].constructor(client.servers[0], grpc.credentials.createInsecure(), options);
      const code = await new Promise((resolve) => {
        service.getServerInfo({}, within(10_000), (error) => resolve(error ? error.code : status.OK));
      });
      assert.equal(code === status.OK, accepted, `${authority}: ${code}`);
      service.close();
    }
  },
};

// Seconds of work: over TCP alone.
const ONCE = {
  async "every judge file has its answer"(client) {
    const formats = fs.readdirSync(CASES);
    assert.ok(formats.length >= 6);
    for (const format of formats) {
      for (const name of fs.readdirSync(path.join(CASES, format)).filter((name) => name.endsWith(".in"))) {
        const file = path.join(CASES, format, name);
        const expected = fs.readFileSync(file.replace(/in$/, "out"));
        const answers = await collect(judge.answers(client, format, fs.readFileSync(file, "utf8")));
        assert.ok(expected.equals(Buffer.from(answers.join(""))), file);
      }
    }
  },
};

const LATE = {
  async "a deadline ends a slow solve"(client) {
    const slow = { endNim: { piles: new Array(1_000_000).fill(1) } }; // a second at this server's pace
    assert.equal(await codeOf(client.solve(slow, { timeout: 300 })), status.DEADLINE_EXCEEDED);
    assert.deepEqual((await client.solve(row("...."))).winningCells, [1, 2]);
  },

  async "a deadline ends a stream in the middle"(client) {
    function* forever() {
      for (;;) yield row(".".repeat(100));
    }
    assert.equal(await codeOf(collect(client.solveAll(forever(), { timeout: 700 }))), status.DEADLINE_EXCEEDED);
  },

  // A caller without a timer of its own sends the header alone, as a proxy may.
  async "the server keeps deadlines by itself"(client) {
    const header = new grpc.Metadata();
    header.set("grpc-timeout", "300m");
    const board = { endNim: { piles: new Array(1_000_000).fill(1) } };
    const answer = new Promise((resolve, reject) => {
      client.stubs[0].solve({ board }, header, (error, response) => (error ? reject(error) : resolve(response)));
    });
    assert.equal(await codeOf(answer), status.DEADLINE_EXCEEDED);
    const requests = new Array(1000).fill({ boards: new Array(100).fill(row(".".repeat(200))) });
    assert.equal(await codeOf(exchange(client, requests, undefined, header)), status.DEADLINE_EXCEEDED);
  },

  // Were the cancelled boards solved to the end, they would keep every worker for minutes.
  async "a cancel frees the slow solver"(client) {
    const board = row(".".repeat(200));
    const requests = new Array(1000).fill({ boards: new Array(500).fill(board) });
    const call = client.stubs[0].solveStream();
    const upload = Readable.from(requests, { highWaterMark: 1 });
    upload.pipe(call);
    await once(call, "data");
    call.cancel();
    assert.equal(await codeOf(collect(call)), status.CANCELLED);
    upload.destroy();
    const results = await collect(client.solveAll(new Array(100).fill(board), { timeout: 10_000 }));
    assert.equal(results.length, 100);
  },

  // Messages of 20 to 300 bytes arrive faster than they are answered: the connection must not be given up.
  async "twenty thousand small messages survive a slow server"(client) {
    const words = (name) => fs.readFileSync(path.join(CASES, "poj3537", name), "utf8").split("\n");
    const [rows, answers] = [words("every-3-to-300.in"), words("every-3-to-300.out")];
    const first = rows.indexOf("12");
    const chosen = Array.from({ length: 20_000 }, (_, index) => first + ((index * 89) % 281));
    const requests = chosen.map((line, index) => ({ batchId: index, boards: [row(".".repeat(Number(rows[line])))] }));
    const answered = await exchange(client, requests, 120_000);
    const { summary } = answered.pop();
    assert.equal(answered.length, 20_000);
    answered.forEach(({ batch }, index) => {
      assert.equal(batch.batchId, String(index));
      const expected = answers[chosen[index]] === "1" ? "OUTCOME_FIRST_PLAYER_WINS" : "OUTCOME_SECOND_PLAYER_WINS";
      assert.deepEqual(batch.results.map(({ solution }) => solution.outcome), [expected]);
    });
    assert.deepEqual({ ...summary }, { batches: "20000", boards: "20000", solved: "20000", failed: "0" });
  },
};

const count = { passed: 0, failed: 0 };

async function run(tests, address) {
  const client = new Client(address);
  for (const [name, test] of Object.entries(tests)) {
    const start = Date.now();
    try {
      await test(client);
      count.passed += 1;
      console.log(`ok      ${name} (${address.split(":")[0]}), ${(Date.now() - start) / 1000} s`);
    } catch (error) {
      count.failed += 1;
      console.log(`FAILED  ${name} (${address.split(":")[0]})\n${error.stack}`);
    }
  }
  client.close();
}

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "sprague-"));
  await withSpragued(["127.0.0.1:0", "127.0.0.1:0", `unix:${folder}/sprague.sock`].flatMap((address) => ["--listen", address]), async (addresses) => {
    const [first, second, unix] = addresses;
    for (const address of [first, unix]) await run(FAST, address);
    await run(ONCE, first);
    const authority = "an authority that HTTP/2 allows lets a call in";
    await run({ [authority]: FAST[authority] }, `ipv4:${first},${second}`);
  });
  fs.rmSync(folder, { recursive: true });
  await withSlowServer("1us", (address) => run(LATE, address));
  console.log(`${count.passed} passed, ${count.failed} failed`);
  process.exitCode = count.failed ? 1 : 0;
}

main();
