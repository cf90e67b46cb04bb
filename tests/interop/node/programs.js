// The programs under test: started on a free port, stopped when done with.

"use strict";

const { spawn } = require("node:child_process");
const { once } = require("node:events");
const { createInterface } = require("node:readline");

/** Runs `use` with the addresses that a server writes in its ready line. */
async function withProgram(command, flags, use) {
  const program = spawn(command, flags, { stdio: ["pipe", "pipe", "inherit"] });
  try {
    const [line] = await once(createInterface(program.stdout), "line", { signal: AbortSignal.timeout(30_000) });
    return await use(line.split(" listening on ")[1].split(", "));
  } finally {
    const ended = once(program, "exit");
    program.kill();
    await ended;
  }
}

const withSpragued = (flags, use) => withProgram(process.env.SPRAGUED ?? "spragued", ["--log", "warn", ...flags], use);

const withSlowServer = (perCell, use) =>
  withProgram(process.env.SLOW_SERVER ?? "slow_server", ["127.0.0.1:0", perCell], ([address]) => use(address));

module.exports = { withSlowServer, withSpragued };
