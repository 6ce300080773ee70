import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, existsSync, writeFileSync } from "node:fs";
import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { withClient } from "./infrastructure/index.ts";
import { BusRefusedError, connectBus } from "@holdfast/messaging";
import { eventually } from "@holdfast/tests/support";
import { createLocalJWKSet, decodeJwt, jwtVerify } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { isRunning, runFakeSandbox, type FakeSandbox } from "../test/run-fake-sandbox.ts";
import type { SandboxFile } from "./sandbox-file.ts";

const homes: string[] = [];
const sandboxes: FakeSandbox[] = [];

function newHome(): string {
  const dir = mkdtempSync(join(tmpdir(), "holdfast sandbox-"));
  homes.push(dir);
  return dir;
}

function run(...args: Parameters<typeof runFakeSandbox>): FakeSandbox {
  const sandbox = runFakeSandbox(...args);
  sandboxes.push(sandbox);
  return sandbox;
}

async function killLeftovers(): Promise<void> {
  for (const sandbox of sandboxes.splice(0)) {
    sandbox.process.kill("SIGKILL");
    await sandbox.exited;
  }
}

afterAll(() => homes.forEach((home) => rmSync(home, { recursive: true, maxRetries: 20 })));

const everyRole = ["viewer", "approver", "onboarder", "operations", "admin"];

test("a home of a version before 0.1.0 is refused in two lines with the command that sets it aside", async () => {
  const home = newHome();
  writeFileSync(join(home, "secrets.json"), "{}");
  const { exited, output } = run(home);
  expect((await exited).code).toBe(1);
  expect(output.stderr.trimEnd().split("\n")).toEqual([
    expect.stringContaining("has the data of a version before 0.1.0"),
    `Set it aside and start again: mv '${home}' '${home}-before-0.1.0'`,
  ]);
  expect(readdirSync(home)).toEqual(["secrets.json"]);
});

describe("a running sandbox", () => {
  const home = newHome();
  let sandbox: FakeSandbox;
  let file: SandboxFile;

  beforeAll(async () => {
    sandbox = run(home, ["--port-base", "0"], {
      WEBHOOK_ATTEMPT_TIMEOUT: "7s",
      PGHOST: "elsewhere",
      NODE_ENV: "test",
    });
    file = await sandbox.file();
  });
  afterAll(killLeftovers);

  const fileNow = () => JSON.parse(readFileSync(join(home, "sandbox.json"), "utf8")) as SandboxFile;

  test("describes itself in a file that others cannot read", () => {
    const url = (scheme: string) =>
      expect.stringMatching(new RegExp(`^${scheme}://([\\w:-]+@)?127\\.0\\.0\\.1:\\d+`));
    expect(statSync(join(home, "sandbox.json")).mode & 0o777).toBe(0o600);
    expect(file).toEqual({
      ready: true,
      gatewayUrl: url("http"),
      operatorUrl: url("http"),
      staffUrl: url("http"),
      publicUrl: url("http"),
      consoleUrl: url("http"),
      acquirerUrl: url("http"),
      healthUrls: { "api-gateway": url("http"), "gateway-operator": url("http"), payments: url("http") },
      natsUrl: url("nats"),
      databaseUrl: expect.stringMatching(/^postgres:.*\/holdfast$/),
      caFile: expect.stringContaining(home),
      receiver: { certFile: expect.stringContaining(home), keyFile: expect.stringContaining(home) },
      accountId: expect.any(String),
      merchants: [
        { merchantId: expect.any(String), name: "Demo Shop", apiKey: "key", apiSecret: "shown-once" },
      ],
      testMode: {
        merchantId: file.merchants[0]!.merchantId,
        accountId: expect.any(String),
        apiKey: "key",
        apiSecret: "shown-once",
      },
      operators: [
        { name: "alice", roles: everyRole, token: expect.any(String) },
        { name: "bora", roles: everyRole, token: expect.any(String) },
        { name: "vera", roles: ["viewer"], token: expect.any(String) },
        { name: "omer", roles: ["onboarder"], token: expect.any(String) },
      ],
      staff: [
        { name: "mina", roles: ["owner"], merchantId: expect.any(String), token: expect.any(String) },
        { name: "selim", roles: ["support"], merchantId: expect.any(String), token: expect.any(String) },
      ],
      people: [
        { name: "alice", audience: "operator", roles: everyRole },
        { name: "bora", audience: "operator", roles: everyRole },
        { name: "vera", audience: "operator", roles: ["viewer"] },
        { name: "omer", audience: "operator", roles: ["onboarder"] },
        { name: "mina", audience: "staff", roles: ["owner"], merchantId: expect.any(String) },
        { name: "selim", audience: "staff", roles: ["support"], merchantId: expect.any(String) },
      ],
      processes: {
        "api-gateway": expect.any(Number),
        "gateway-operator": expect.any(Number),
        payments: expect.any(Number),
        "acquirer-simulator": expect.any(Number),
        "identity-provider": expect.any(Number),
        "nats-server": expect.any(Number),
        postgres: expect.any(Number),
      },
      logs: join(home, "logs"),
    });
  });

  test("signs tokens that its key set verifies", async () => {
    const keys = createLocalJWKSet(JSON.parse(readFileSync(join(home, "operator-jwks.json"), "utf8")));
    const expected = { audience: "holdfast-operator-api" };
    const { payload, protectedHeader } = await jwtVerify(file.operators[2]?.token ?? "", keys, expected);
    expect(protectedHeader).toMatchObject({ typ: "at+jwt" });
    expect(payload).toMatchObject({ sub: "vera", roles: ["viewer"], iss: expect.stringMatching(/^http:/) });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(24 * 3600);
    expect(JSON.stringify(keys.jwks())).not.toContain('"d"');
  });

  test("hands the variables it was given to the services, under its own", async () => {
    const environment = (await (await fetch(file.gatewayUrl)).json()) as NodeJS.ProcessEnv;
    expect(environment).toMatchObject({
      WEBHOOK_ATTEMPT_TIMEOUT: "7s",
      RATE_LIMIT_PER_SECOND: "2000",
      REFUSED_ATTEMPTS_PER_MINUTE_PER_OPERATOR: "2000",
      NODE_ENV: "production",
      LISTEN_HOST: "127.0.0.1",
      NATS_URL: file.natsUrl.replace(/\/\/.*@/, "//"),
      NATS_USER: "gateway-merchant",
      MERCHANT_API_URL: file.gatewayUrl,
      PUBLIC_URL: file.publicUrl,
      CARD_SEALING_KEYS: expect.stringMatching(/^k1:[\w+/]{43}=$/),
    });
    expect(environment.DATABASE_URL).toContain("gateway_merchant");
    expect(environment).not.toHaveProperty("PGHOST");
  });

  test("has a command that prints a token of any of its operators, new and nothing else", async () => {
    const keys = createLocalJWKSet(JSON.parse(readFileSync(join(home, "operator-jwks.json"), "utf8")));
    const issuer = decodeJwt(file.operators[0]!.token).iss!;
    const expected = { issuer, audience: "holdfast-operator-api" };
    const program = join(import.meta.dirname, "token.ts");
    const ask = async (...args: string[]) =>
      await promisify(execFile)(process.execPath, [program, "--home", home, ...args]);
    const { stdout } = await ask("vera");
    const { payload } = await jwtVerify(stdout.trim(), keys, expected);
    expect(payload).toMatchObject({ sub: "vera", roles: ["viewer"] });
    await expect(ask("nobody")).rejects.toMatchObject({ code: 2, stdout: "" });
    await expect(ask()).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining("alice") });
  });

  test("shows secrets in its banner and in no log", () => {
    const request = /curl [\s\S]*?-d '(.*)'/.exec(sandbox.output.stdout)?.[1] ?? "";
    expect(request).toContain('"amount":12.50,');
    expect(JSON.parse(request)).toMatchObject({ pan: "4111111111111111", expiryMonth: "12" });
    expect(sandbox.output.stdout).toContain(`npm run --silent token -- --home '${home}' alice`);
    const secrets = ["shown-once", new URL(file.databaseUrl).password];
    secrets.push(new URL(file.natsUrl).password);
    expect(secrets.filter((secret) => !sandbox.output.stdout.includes(secret))).toEqual([]);
    const logs = readdirSync(file.logs).map((name) => readFileSync(join(file.logs, name), "utf8"));
    // A token is longer than all the rest, and there is a command for it.
    secrets.push(...file.operators.map(({ token }) => token));
    expect(file.operators.filter(({ token }) => sandbox.output.stdout.includes(token))).toEqual([]);
    const leaks = secrets.filter((secret) =>
      [...logs, sandbox.output.stderr].some((text) => text.includes(secret)),
    );
    expect(leaks).toEqual([]);
  });

  test("has a bus that nobody uses without signing in, with a configuration that others cannot read", async () => {
    const anonymous = file.natsUrl.replace(/\/\/.*@/, "//");
    await expect(connectBus({ url: anonymous, name: "nobody" })).rejects.toThrow(BusRefusedError);
    const observer = await connectBus({ url: file.natsUrl, name: "observer" });
    await observer.close(1_000);
    expect(statSync(join(home, "nats-server.conf")).mode & 0o777).toBe(0o600);
  });

  test("refuses a second one on the same home", async () => {
    const second = run(home);
    expect((await second.exited).code).toBe(1);
    expect(second.output.stderr).toContain(`a sandbox (pid ${sandbox.process.pid}) already runs on ${home}`);
    expect(fileNow()).toEqual(file);
  });

  test.each(["payments", "acquirer-simulator", "nats-server", "postgres"])(
    "starts %s again",
    async (name) => {
      const before = fileNow().processes[name] as number;
      process.kill(before, "SIGKILL");
      const isBack = () => ![undefined, before].includes(fileNow().processes[name]);
      await eventually(isBack);
      expect(isRunning(fileNow().processes[name] as number)).toBe(true);
    },
  );

  test("keeps the database where it was", async () => {
    const runs = withClient(file.databaseUrl, (client) => client.query("select * from gateway.runs"));
    expect((await runs).rowCount).toBe(1);
  });

  test("ends with everything it started", async () => {
    const pids = Object.values(fileNow().processes);
    expect(pids).toHaveLength(7);
    sandbox.process.kill("SIGTERM");
    expect(await sandbox.exited).toEqual({ code: 0, signal: null });
    expect(pids.filter(isRunning)).toEqual([]);
    expect(existsSync(join(home, "sandbox.json"))).toBe(false);
  });

  test("finds its data and its secrets at the next start", async () => {
    const secretsBefore = readFileSync(join(home, "secrets.json"), "utf8");
    sandbox = run(home);
    expect(await sandbox.file()).toMatchObject({ merchants: file.merchants, testMode: file.testMode });
    expect(readFileSync(join(home, "secrets.json"), "utf8")).toBe(secretsBefore);
  });

  // Except on Linux the children of a killed process live on, and the next start says which one is in the
  // way.
  test.runIf(process.platform === "linux")(
    "leaves no child when it is killed, and starts again",
    async () => {
      const { processes } = fileNow();
      sandbox.process.kill("SIGKILL");
      const next = await run(home).file();
      expect(Object.values(processes).filter(isRunning)).toEqual([]);
      expect(next.merchants).toEqual(file.merchants);
    },
  );
});

describe("a sandbox that cannot start", () => {
  afterEach(killLeftovers);

  test("names the port that is taken", async () => {
    const blocker = createServer().listen(0, "127.0.0.1");
    await once(blocker, "listening");
    const { port } = blocker.address() as { port: number };
    const sandbox = run(newHome(), ["--port-base", `${port}`]);
    expect((await sandbox.exited).code).toBe(1);
    expect(sandbox.output.stderr).toMatch(
      new RegExp(`port ${port} \\(merchant API\\) is in use: .*--port-base`),
    );
    blocker.close();
  });

  test("shows the log of the process that failed, and stops the others", async () => {
    const home = newHome();
    const sandbox = run(home, ["--port-base", "0"], { FAKE_EXIT: "payments" });
    expect((await sandbox.exited).code).toBe(1);
    expect(sandbox.output.stderr).toMatch(
      /payments stopped while starting\nthe fake cannot start\n\(its log: .*payments\.log\)/,
    );
    expect(existsSync(join(home, "postgres", "postmaster.pid"))).toBe(false);
  });
});

describe("a sandbox that is told to stop", () => {
  afterEach(killLeftovers);

  test("while starting, stops cleanly", async () => {
    const home = newHome();
    const sandbox = run(home);
    await eventually(() => existsSync(join(home, "postgres", "postmaster.pid")), { everyMs: 5 });
    sandbox.process.kill("SIGINT");
    expect((await sandbox.exited).code).toBe(0);
    expect(readdirSync(home)).not.toContain("sandbox.json");
    expect(existsSync(join(home, "postgres", "postmaster.pid"))).toBe(false);
  });

  test("kills a deaf service when told twice", async () => {
    const sandbox = run(newHome(), ["--port-base", "0"], { FAKE_DEAF: "payments" });
    const pids = Object.values((await sandbox.file()).processes);
    sandbox.process.kill("SIGINT");
    const again = setInterval(() => sandbox.process.kill("SIGINT"), 50);
    expect((await sandbox.exited).code).toBe(130);
    clearInterval(again);
    expect(pids.filter(isRunning)).toEqual([]);
  });
});
