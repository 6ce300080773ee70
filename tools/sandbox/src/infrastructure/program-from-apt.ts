// Unpacks a package of a newer Debian suite without installing it: a throw-away apt configuration takes the
// archive's address from the machine's own sources, needs no root and leaves the machine's apt untouched.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { withParentDeathSignal } from "./die-with-parent.ts";

/** A Debian package, and where in it the program may be. */
export type DebianProgram = { package: string; paths: string[] };

/** Downloads and unpacks the package below `work`, and answers the path of the program. */
export async function programFromApt(work: string, wanted: DebianProgram): Promise<string> {
  if (!existsSync("/etc/apt")) throw new Error("this machine has no apt");
  const sources = machineSources();
  const failures: string[] = [];
  for (const suite of suites) {
    try {
      return await fetchFromSuite(join(work, suite), suite, sources, wanted);
    } catch (error) {
      failures.push(`${suite}: ${lastLine((error as { stderr?: string }).stderr) || String(error)}`);
    }
  }
  throw new Error(failures.join("; "));
}

// The suites, newest first; bookworm's version is too old.
const suites = ["forky", "trixie"];

async function fetchFromSuite(
  dir: string,
  suite: string,
  sources: string[],
  wanted: DebianProgram,
): Promise<string> {
  for (const part of ["parts", "lists/partial", "cache/archives/partial"]) {
    mkdirSync(join(dir, part), { recursive: true });
  }
  writeFileSync(
    join(dir, "parts", `${suite}.sources`),
    sources.map((stanza) => `${stanza}\nSuites: ${suite}\n`).join("\n"),
  );
  const apt = (...args: string[]) => run(["apt-get", ...throwAwayConfiguration(dir), ...args], dir);
  // The update fails as a whole if one of several sources lacks the suite; the next step shows whether it
  // found enough.
  await apt("update").catch(() => undefined);
  await apt("download", wanted.package);
  const archive = readdirSync(dir).find((file) => file.endsWith(".deb"));
  if (!archive) throw new Error("apt downloaded nothing");
  await run(["dpkg-deb", "-x", archive, "unpacked"], dir);
  const program = wanted.paths.find((path) => existsSync(join(dir, "unpacked", path)));
  if (!program) throw new Error(`the package ${wanted.package} holds none of ${wanted.paths.join(", ")}`);
  return join(dir, "unpacked", program);
}

function throwAwayConfiguration(dir: string): string[] {
  return [
    ["Dir::Etc::SourceList", "/dev/null"],
    ["Dir::Etc::SourceParts", join(dir, "parts")],
    ["Dir::State::Lists", join(dir, "lists")],
    ["Dir::Cache", join(dir, "cache")],
    // A machine may be pinned to a snapshot of the archive, whose index claims to have expired.
    ["Acquire::Check-Valid-Until", "false"],
    ["Acquire::Languages", "none"],
    ["Acquire::http::Timeout", "10"],
    // Root's apt would otherwise drop to a user who cannot write here.
    ["APT::Sandbox::User", "root"],
  ].flatMap(([name, value]) => ["-o", `${name}=${value}`]);
}

/** The machine's Debian archives as deb822 stanzas without their suites; security archives carry no newer suite. */
function machineSources(): string[] {
  const dir = "/etc/apt/sources.list.d";
  const files = existsSync(dir) ? readdirSync(dir).map((file) => join(dir, file)) : [];
  const stanzas = [
    ...files.filter((file) => file.endsWith(".sources")).flatMap(deb822Stanzas),
    ...["/etc/apt/sources.list", ...files.filter((file) => file.endsWith(".list"))].flatMap(oneLineStanzas),
  ];
  const usable = stanzas.filter(
    (stanza) => /^Types:.*\bdeb\b/m.test(stanza) && /^Components:.*\bmain\b/m.test(stanza),
  );
  const archives = usable.filter((stanza) => !/security/.test(stanza) && !/^Enabled:\s*no/im.test(stanza));
  if (archives.length === 0) throw new Error("the machine's apt sources name no Debian archive");
  return archives;
}

function deb822Stanzas(file: string): string[] {
  return readFileSync(file, "utf8")
    .replace(/^#.*\n/gm, "")
    .split(/\n\s*\n/)
    .map((stanza) =>
      stanza
        .trim()
        .replace(/^Suites:.*(\n[ \t].*)*\n?/im, "")
        .replace(/^Types:.*/im, "Types: deb"),
    )
    .filter((stanza) => stanza !== "");
}

/** `deb [signed-by=… arch=…] URI suite components` of the older format. */
function oneLineStanzas(file: string): string[] {
  if (!existsSync(file)) return [];
  return [...readFileSync(file, "utf8").matchAll(/^deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+\S+\s+(.+)$/gm)].map(
    ([, options = "", uri, components]) => {
      const key = /signed-by=(\S+)/i.exec(options)?.[1];
      return `Types: deb\nURIs: ${uri}\nComponents: ${components}${key ? `\nSigned-By: ${key}` : ""}`;
    },
  );
}

async function run(command: string[], cwd: string): Promise<void> {
  const [program = "", ...args] = withParentDeathSignal("TERM", command);
  await promisify(execFile)(program, args, { cwd, timeout: 90_000, env: { ...process.env, LC_ALL: "C" } });
}

function lastLine(text: string | undefined): string | undefined {
  return text?.trim().split("\n").at(-1);
}
