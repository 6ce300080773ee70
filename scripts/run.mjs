// `node scripts/run.mjs [--product] PROGRAM [ARGUMENT...]` is what npm's scripts run. PROGRAM is a file of this repository
// or the name of an installed command. `--product` marks a program that needs no package for development.
//
// It works on whatever Node the machine has (20 or newer): it installs the locked dependencies when they are missing or
// differ from package-lock.json, and then becomes the program, on Node 26, which the project brings along (see
// link-node.mjs). Only after an installation the program is a process of its own.
//
// Nothing is left behind when it has to end. The scripts say `exec node ...`, so that no shell stands between npm and
// this process and keeps npm's signals. A parent that was killed cannot send any: then this process stops as on SIGTERM.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, realpathSync } from "node:fs";
import module from "node:module";
import { constants } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { installed, stampInstalled } from "./lock-stamp.mjs";

const lookForParentEveryMs = 1_000;
// More time than any of the programs takes to stop in order.
const endWithoutParentWithinMs = 30_000;
const progressEveryMs = 5_000;

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const bin = join(root, "node_modules", ".bin");

const needed = process.argv[2] === "--product" ? "product" : "all";

stopWithoutParent();
keepCompiledCode();
const hasInstalled = await install();
const projectNode = join(bin, "node");
if (!existsSync(projectNode) || (!hasInstalled && isThisNode(projectNode))) await becomeProgram();
else endAs(await runToEnd(projectNode, process.argv.slice(1)));

/** A changed parent means that the first one is gone, whatever process adopts orphans on this machine. */
function stopWithoutParent() {
  const parent = process.ppid;
  const looking = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(looking);
    setTimeout(() => process.kill(process.pid, "SIGKILL"), endWithoutParentWithinMs).unref();
    process.kill(process.pid, "SIGTERM");
  }, lookForParentEveryMs);
  looking.unref();
}

/**
 * For this process and for all that it starts: a service spends half of its start compiling, and a sandbox or a test run
 * starts the same ones again and again. Node 20 has no such cache, and where nothing can be written nothing is kept.
 */
function keepCompiledCode() {
  process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules", ".cache", "compiled");
  module.enableCompileCache?.();
}

/** @returns whether there was anything to install. */
async function install() {
  const there = installed();
  if (there === "all" || there === needed) return false;
  // Installs without removing anything, since a sandbox may run from this installation.
  const args =
    there === "product" ? ["install", "--no-save"] : needed === "product" ? ["ci", "--omit=dev"] : ["ci"];
  process.stderr.write(`holdfast: installing dependencies (npm ${args.join(" ")})\n`);
  const npm = process.env.npm_execpath;
  const [command, first] = npm ? [process.execPath, [npm]] : ["npm", []];
  const progress = setInterval(showProgress, progressEveryMs, Date.now());
  const ended = await runToEnd(command, [...first, ...args, "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  clearInterval(progress);
  if (ended.signal) endAs(ended);
  if (ended.code !== 0) {
    process.stderr.write(`holdfast: npm ${args[0]} failed; see its output above\n`);
    process.exit(1);
  }
  stampInstalled();
  return true;
}

function showProgress(startedAt) {
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  process.stderr.write(`holdfast: installing, ${countPackages()} packages after ${seconds} s\n`);
}

function countPackages() {
  const modules = join(root, "node_modules");
  if (!existsSync(modules)) return 0;
  const names = readdirSync(modules).filter((name) => !name.startsWith("."));
  const scopes = names.filter((name) => name.startsWith("@"));
  return scopes.reduce((sum, scope) => sum + readdirSync(join(modules, scope)).length - 1, names.length);
}

function isThisNode(file) {
  return realpathSync(file) === realpathSync(process.execPath);
}

/** Runs the program in this very process, so that its signals, terminal and exit code are the program's. */
async function becomeProgram() {
  const [node, , ...given] = process.argv;
  const [program = "", ...args] = needed === "product" ? given.slice(1) : given;
  const file = realpathSync(program.includes("/") ? resolve(root, program) : join(bin, program));
  process.argv = [node, file, ...args];
  await import(pathToFileURL(file).href);
}

/** Runs a command to its end and passes on to it what is to end this process. */
function runToEnd(command, args, options = {}) {
  return new Promise((done) => {
    const child = spawn(command, args, { stdio: "inherit", ...options });
    const pass = (signal) => child.kill(signal);
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
    for (const signal of signals) process.on(signal, pass);
    const end = (code, signal) => {
      for (const each of signals) process.off(each, pass);
      done({ code, signal });
    };
    child.once("error", (error) => {
      process.stderr.write(`holdfast: ${command} cannot be run: ${error.message}\n`);
      end(1, null);
    });
    child.once("exit", end);
  });
}

/** A shell shows a signal as 128 and its number. */
function endAs({ code, signal }) {
  process.exit(signal ? 128 + constants.signals[signal] : code);
}
