// deploy/single, the installation on one machine: the files of `./manage prepare` beside compose.yml.
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { parseConfig } from "@holdfast/service-runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { findProgram } from "../../tools/holdfast/src/find-program.ts";
import { deployDir } from "./build-overlay.ts";
import { configSchemas } from "./service-facts.ts";

type Service = {
  image: string;
  env_file?: string;
  command?: string[];
  environment?: Record<string, string>;
  secrets?: string[];
  networks: string[] | Record<string, unknown>;
  ports?: string[];
  cap_drop?: string[];
  read_only?: boolean;
  mem_limit?: string;
  logging?: { options: Record<string, string> };
};

const source = join(deployDir, "single");
const page = readFileSync(join(deployDir, "..", "docs", "single-machine.md"), "utf8");
const { services, networks } = parse(readFileSync(join(source, "compose.yml"), "utf8"), {
  merge: true,
  maxAliasCount: 300,
}) as { services: Record<string, Service>; networks: Record<string, { internal?: boolean }> };

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "holdfast-single-"));
  cpSync(source, directory, { recursive: true });
  const example = readFileSync(join(source, "settings.example"), "utf8");
  const backupDir = join(directory, "backup");
  writeFileSync(join(directory, ".env"), example.replace(/^BACKUP_DIR=.*$/m, `BACKUP_DIR=${backupDir}`));
  // No engine is needed: there are no volumes yet.
  mkdirSync(join(directory, "bin"));
  writeFileSync(join(directory, "bin", "docker"), "#!/bin/sh\n", { mode: 0o755 });
  manage("prepare");
});
afterAll(() => rmSync(directory, { recursive: true }));

function manage(...args: string[]): string {
  const env = { PATH: `${join(directory, "bin")}:${process.env["PATH"]}`, HOLDFAST_VERSION: "v0" };
  return execFileSync(join(directory, "manage"), args, { env, encoding: "utf8" });
}

const secret = (name: string) => readFileSync(join(directory, "secrets", name), "utf8");

/** `${NAME}`, `${NAME:-default}` and `${NAME:?message}`, as compose replaces them. */
function interpolate(text: string, env: NodeJS.Dict<string>): string {
  return text.replaceAll(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_all, name: string, kind?: string, rest = "") => {
      const value = env[name];
      if (value !== undefined && value !== "") return value;
      if (kind === "?") throw new Error(`${name} is not set`);
      return rest;
    },
  );
}

/** Each service with the process that it runs in. */
const PROGRAMS = ["edge", "core"].flatMap((process) =>
  services[process]!.command!.slice(1).map((argument) => {
    const [program = "", file = ""] = argument.split("=");
    return [file.replace("/run/secrets/", ""), { process, program }] as const;
  }),
);

test("edge and core run every service once, each with the file that is mounted for it", () => {
  expect(PROGRAMS.map(([name]) => name)).toEqual([
    ...services["edge"]!.secrets!,
    ...services["core"]!.secrets!,
  ]);
  const gateways = ["gateway-merchant", "gateway-public", "gateway-operator", "gateway-staff"];
  const others = ["console", "payments", "refunds", "webhook-dispatcher", "settlement"];
  expect(PROGRAMS.map(([name]) => name)).toEqual([...gateways, ...others]);
});

test.each(PROGRAMS)(
  "%s starts with what it is given, and is given nothing that it does not know",
  (name, at) => {
    const example = parseEnv(readFileSync(join(directory, ".env"), "utf8"));
    const shared = Object.entries(services[at.process]!.environment ?? {}).map(
      ([variable, value]) => [variable, interpolate(value, example)] as const,
    );
    const own = parseEnv(secret(name));
    const schema = configSchemas[at.program === "gateway" ? "api-gateway" : at.program]!;
    const given = { ...example, ...Object.fromEntries(shared), ...own };
    expect(parseConfig(schema, given)).toBeDefined();
    expect(Object.keys(own).filter((variable) => !(variable in schema.shape))).toEqual([]);
  },
);

test("a setting in .env reaches every process of the product, and is replaced by none that compose.yml has a value for", () => {
  for (const name of ["edge", "core", "schema"]) expect(services[name]!.env_file).toBe(".env");
  const tuned = Object.entries(services["core"]!.environment!).filter(([name]) =>
    /_(INTERVAL|REFRESH)$/.test(name),
  );
  expect(tuned.map(([name]) => name)).toEqual(["BIN_TABLE_REFRESH", "ACCOUNT_REFRESH"]);
  for (const [name, value] of tuned) expect(value).toMatch(new RegExp(`^\\$\\{${name}:-\\d+[sm]\\}$`));
});

test("every variable of edge and core is a setting of one of their services", () => {
  for (const process of ["edge", "core"]) {
    const known = new Set(
      PROGRAMS.filter(([, at]) => at.process === process).flatMap(([, { program }]) =>
        Object.keys(configSchemas[program === "gateway" ? "api-gateway" : program]!.shape),
      ),
    );
    const named = Object.keys(services[process]!.environment!).filter(
      (name) => name !== "NODE_EXTRA_CA_CERTS",
    );
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  }
});

test("health is asked for at each service's own port", () => {
  for (const process of ["edge", "core"]) {
    const { healthcheck } = services[process] as Service & { healthcheck: { test: string[] } };
    const ports = PROGRAMS.filter(([, at]) => at.process === process).map(
      ([name]) => parseEnv(secret(name))["HEALTH_PORT"],
    );
    expect(healthcheck.test).toEqual(["CMD", "healthcheck", ...ports]);
  }
});

test("no two services have a password, and keys are shared only by those that seal and open", () => {
  const owners = new Map<string, string[]>();
  for (const [name] of PROGRAMS)
    for (const [variable, value] of Object.entries(parseEnv(secret(name))))
      if (/_(PASSWORD|KEYS|PEPPERS|URL)$/.test(variable))
        owners.set(`${variable} ${value}`, [...(owners.get(`${variable} ${value}`) ?? []), name]);
  const shared = [...owners].filter(([, names]) => names.length > 1);
  expect(Object.fromEntries(shared.map(([key, names]) => [key.split(" ")[0], names]))).toEqual({
    CARD_SEALING_KEYS: ["gateway-merchant", "gateway-public", "payments"],
    THREE_DS_STATE_KEYS: ["gateway-merchant", "gateway-public"],
    CREDENTIAL_PEPPERS: ["gateway-merchant", "gateway-operator", "gateway-staff"],
    FILE_KEYS: ["payments", "settlement"],
  });
});

test("prepare keeps what is there, and only root enters the directory", () => {
  const before = readdirSync(join(directory, "secrets")).map((name) => [name, secret(name)]);
  manage("prepare");
  expect(readdirSync(join(directory, "secrets")).map((name) => [name, secret(name)])).toEqual(before);
  expect(statSync(join(directory, "secrets")).mode & 0o777).toBe(0o700);
  expect(statSync(join(directory, "secrets", "all")).mode & 0o777).toBe(0o600);
});

test("the bus knows every password that its users need", () => {
  const users = readFileSync(join(deployDir, "nats", "users.conf"), "utf8");
  const needed = [...users.matchAll(/\$(NATS_\w+)/g)].map(([, name]) => name!);
  expect(Object.keys(parseEnv(secret("nats"))).toSorted()).toEqual([...new Set(needed)].toSorted());
});

test("Caddy alone is published; database and bus have no way out", () => {
  expect(Object.keys(services).filter((name) => services[name]!.ports)).toEqual(["caddy"]);
  expect(networks["internal"]).toEqual({ internal: true });
  for (const name of ["postgres", "nats", "schema"]) expect(services[name]!.networks).toEqual(["internal"]);
});

test.each(Object.keys(services))("%s has the least rights, bounded memory and a log that rotates", (name) => {
  expect(services[name]).toMatchObject({ read_only: true, cap_drop: ["ALL"], mem_limit: expect.any(String) });
  expect(services[name]!.logging!.options).toEqual({ "max-size": "20m", "max-file": "5" });
});

test("of Keycloak only what people sign in by is public", () => {
  const site = readFileSync(join(source, "identity.caddy"), "utf8");
  const [, paths = ""] = /^\s+path (.*)$/m.exec(site) ?? [];
  expect(paths.split(" ").filter((path) => !/^\/(resources|realms\/holdfast)\//.test(path))).toEqual([]);
  expect(site.match(/reverse_proxy/g)).toHaveLength(1);
  expect(site).toMatch(/handle @public \{\s+reverse_proxy identity:8080\s+\}\s+respond 404/);
});

test("all limits together fit into 2 GiB", () => {
  const longRunning = Object.entries(services).filter(([name]) => name !== "schema");
  const mebibytes = longRunning.map(([, { mem_limit: limit }]) => Number(/^(\d+)m$/.exec(limit!)![1]));
  expect(mebibytes.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(2_048);
});

test("a setting that compose.yml cannot do without stands in settings.example", () => {
  const example = readFileSync(join(source, "settings.example"), "utf8");
  const text = readFileSync(join(source, "compose.yml"), "utf8");
  const needed = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name!));
  // `manage` sets these.
  for (const name of ["HOLDFAST_VERSION", "POSTGRES_IMAGE", "NATS_IMAGE"]) needed.delete(name);
  for (const name of needed) expect(example).toMatch(new RegExp(`^${name}=.`, "m"));
});

test("the page names commands that manage has, and installs in ten steps at most", () => {
  const commands = new Set([...page.matchAll(/\.\/manage ([\w-]+)/g)].map(([, name]) => name!));
  const help = manage("--help");
  for (const name of commands) expect(help).toMatch(new RegExp(`^  ${name} `, "m"));
  const [, install = ""] = /^## Install$([\s\S]*?)^## /m.exec(page) ?? [];
  const steps = [...install.matchAll(/^\d+\. /gm)];
  expect(steps.length).toBeGreaterThan(5);
  expect(steps.length).toBeLessThanOrEqual(10);
});

test("the page's commands on whole schemas are programs, and get what they sign in with", () => {
  const commands = [...page.matchAll(/ schema \\\n {2}'(.+)'$/gm)].map(([, command = ""]) => command);
  expect(commands).toHaveLength(3);
  for (const command of commands) {
    const [, file = "", program = ""] = /\/run\/secrets\/(\w+)\b.* holdfast (.+)$/.exec(command) ?? [];
    expect(services["schema"]!.secrets).toContain(file);
    expect(findProgram(program.split(" ")).rest).not.toEqual([]);
  }
  expect(secret("migrations")).toMatch(/^payments postgres:\/\/payments_owner:/m);
  expect(secret("schema")).toMatch(/^DATABASE_ADMIN_URL=/m);
});

test.each([
  [["nonsense"], 2, "./manage COMMAND"],
  [["update"], 1, "manage: say the revision"],
  [["rollback"], 1, "manage: there was no update here"],
])("./manage %j ends with one clear answer", (args, status, line) => {
  const env = { PATH: process.env["PATH"], HOLDFAST_VERSION: "v0" };
  const ended = spawnSync(join(directory, "manage"), args, { env, encoding: "utf8" });
  expect(ended.status).toBe(status);
  expect(ended.stderr).toContain(line);
});
