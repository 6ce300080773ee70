import { execFileSync, spawn } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { freePort, localCertificates, type LocalCertificates } from "@holdfast/sandbox/infrastructure";
import { readFileSync } from "node:fs";
import { docker } from "../containers/docker.ts";
import type { Client } from "../e2e/running-sandbox.ts";
import { createOperatorIdentity, ISSUER } from "../support/index.ts";

/** deploy/single as somebody installs it by docs/single-machine.md: a checkout of its own, and ./manage. */
export type OneMachine = {
  certificates: LocalCertificates;
  receiverPort: number;
  backupDir: string;
  /** Runs ./manage; returns its output, and throws with what it said when it fails. */
  manage(...args: string[]): Promise<string>;
  /** The same, which is expected to fail: its last words. */
  refusal(...args: string[]): Promise<string>;
  /** Calls the operator API by ./manage, as that person. */
  operator(person: string, method: string, path: string, body?: object): Promise<Record<string, string>>;
  merchant(credentials: Record<string, string>): Client;
  /** Answers what curl does in step 8 of the page. */
  probe(host: string, path: string): Promise<number>;
  /** Ends a service's program as the kernel does where memory is short. */
  kill(service: string): Promise<void>;
  /** Commits a change to this checkout; returns the revision to update to. */
  nextRevision(file: string, content: string): string;
  git(...args: string[]): string;
  /** The bank's ledger. */
  ledger(): Promise<{ operation: string; reference: string; outcome: string }[]>;
  sql(statement: string): Promise<string>;
  dispose(): Promise<void>;
};

const root = join(import.meta.dirname, "..", "..");
export const PROJECT = "holdfast-single-test";

/** Lays a checkout out and fills .env in; nothing is started. */
export async function layOutOneMachine(): Promise<OneMachine> {
  const home = mkdtempSync(join(tmpdir(), "holdfast-machine-"));
  const checkout = join(home, "holdfast");
  const single = join(checkout, "deploy", "single");
  const backupDir = join(home, "backup");
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@example.test", ...args], {
      cwd: checkout,
      encoding: "utf8",
    }).trim();
  layOutCheckout(checkout, git);

  const certificates = await localCertificates(join(home, "certificates"), { host: "*.shop.test" });
  const identity = await createOperatorIdentity();
  const [httpsPort, httpPort, receiverPort] = [await freePort(), await freePort(), await freePort()];
  for (const directory of ["tls", "trust"]) mkdirSync(join(single, directory));
  copyFileSync(certificates.certFile, join(single, "tls", "cert.pem"));
  copyFileSync(certificates.keyFile, join(single, "tls", "key.pem"));
  copyFileSync(certificates.caFile, join(single, "trust", "ca.pem"));
  writeFileSync(join(single, "trust", "jwks.json"), JSON.stringify(identity.jwks));
  const example = readFileSync(join(single, "settings.example"), "utf8");
  const settings = {
    COMPOSE_PROJECT_NAME: PROJECT,
    COMPOSE_FILE: "compose.yml:../../tests/single/single.test.yml",
    FRONT_SUBNET: "172.31.253.0/28",
    BIND_ADDRESS: "127.0.0.1",
    HTTPS_PORT: `${httpsPort}`,
    HTTP_PORT: `${httpPort}`,
    RECEIVER_PORT: `${receiverPort}`,
    BACKUP_DIR: backupDir,
    TLS_LINE: "tls /etc/caddy/tls/cert.pem /etc/caddy/tls/key.pem",
    NODE_IMAGE: "node:26-slim",
    POSTGRES_IMAGE: "postgres:18",
    NATS_IMAGE: "nats:2",
    ACQUIRER_HOSTS: "acquirer-simulator",
    ALLOW_SIMULATOR: "live",
    OIDC_ISSUER: ISSUER,
    OIDC_JWKS: "/etc/holdfast/trust/jwks.json",
    WEBHOOK_ALLOWED_CIDRS: "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16",
    WEBHOOK_ALLOWED_PORTS: "any",
    WEBHOOK_CA_FILE: "/etc/holdfast/trust/ca.pem",
    // Every payment of a test has the same card.
    DEFAULT_MERCHANT_RULES: "off",
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(single, ".env"), example.replaceAll("example.com", "shop.test") + lines.join(""));

  const environment: NodeJS.ProcessEnv = { ...process.env };
  delete environment["HOLDFAST_VERSION"];
  const run = (args: string[], input = "", extra: Record<string, string> = {}) =>
    runManage(single, args, input, { ...environment, ...extra });
  const ok = async (args: string[], input?: string, extra?: Record<string, string>) => {
    const ended = await run(args, input, extra);
    if (ended.status !== 0)
      throw new Error(`./manage ${args.join(" ")} failed:\n${ended.said}\n${ended.output}`);
    return ended.output;
  };
  const manage = (...args: string[]) => ok(args);
  const get = (
    host: string,
    port: number,
    options: { method: string; path: string; headers?: object; body?: string },
  ) => overTls({ ca: readFileSync(certificates.caFile), host, port, ...options });

  return {
    certificates,
    receiverPort,
    backupDir,
    manage,
    async refusal(...args) {
      const ended = await run(args);
      if (ended.status === 0) throw new Error(`./manage ${args.join(" ")} did not fail`);
      return ended.said;
    },
    async operator(person, method, path, body) {
      const token = await identity.token({
        claims: { sub: person, auth_time: Math.floor(Date.now() / 1000) },
      });
      const input = body === undefined ? "" : JSON.stringify(body);
      const text = await ok(["operator", method, path], input, { TOKEN: token });
      return text.trim() === "" ? {} : (JSON.parse(text) as Record<string, string>);
    },
    merchant:
      ({ apiKey = "", apiSecret = "" }) =>
      async (method, path, body, headers = {}) =>
        await get("api.shop.test", httpsPort, {
          method,
          path,
          headers: {
            "X-API-KEY": apiKey,
            "X-API-SECRET": apiSecret,
            ...(body !== undefined && { "Content-Type": "application/json" }),
            ...headers,
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
    probe: async (host, path) => (await get(host, httpsPort, { method: "GET", path })).status,
    async kill(service) {
      const id = (await manage("compose", "ps", "--quiet", service)).trim();
      const pid = (await docker(["inspect", "--format", "{{.State.Pid}}", id])).trim();
      const program = `process.kill(${pid}, "SIGKILL")`;
      await docker([
        "run",
        "--rm",
        "--privileged",
        "--pid=host",
        settings.NODE_IMAGE,
        "node",
        "--eval",
        program,
      ]);
    },
    nextRevision(file, content) {
      const before = git("rev-parse", "HEAD");
      mkdirSync(dirname(join(checkout, file)), { recursive: true });
      appendFileSync(join(checkout, file), content);
      git("add", "--all");
      git("commit", "--quiet", "--message", "Next");
      const revision = git("rev-parse", "HEAD");
      git("checkout", "--quiet", "--detach", before);
      return revision;
    },
    git,
    async ledger() {
      const program = `process.stdout.write(await (await fetch("http://127.0.0.1:8083/ledger")).text())`;
      const args = [
        "compose",
        "exec",
        "-T",
        "acquirer-simulator",
        "node",
        "--input-type=module",
        "--eval",
        program,
      ];
      const text = await manage(...args);
      return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
    },
    sql: async (statement) =>
      (
        await manage(
          "compose",
          "exec",
          "-T",
          "-u",
          "postgres",
          "postgres",
          "psql",
          "-XAtqU",
          "postgres",
          "-c",
          statement,
        )
      ).trim(),
    async dispose() {
      await run(["compose", "down", "--volumes", "--remove-orphans", "--timeout", "1"]);
      // What PostgreSQL wrote is its user's, whom only root can take it from.
      const mount = `${home}:/home-of-test`;
      await docker([
        "run",
        "--rm",
        "--volume",
        mount,
        settings.NODE_IMAGE,
        "rm",
        "-rf",
        "/home-of-test/backup",
      ]);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** The files of this checkout as they are now, as a repository of their own: a release is a commit that was checked out. */
function layOutCheckout(checkout: string, git: (...args: string[]) => string): void {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], {
    cwd: root,
    encoding: "utf8",
  });
  for (const file of listed.split("\0").filter((name) => name !== "" && existsSync(join(root, name))))
    cpSync(join(root, file), join(checkout, file), { recursive: true });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Release");
  const ofTheProxy = process.env["NODE_EXTRA_CA_CERTS"];
  const trusted = join(checkout, "deploy", "build-certificates", "node-extra-ca-certs.crt");
  if (ofTheProxy && existsSync(ofTheProxy)) copyFileSync(ofTheProxy, trusted);
}

async function runManage(
  cwd: string,
  args: string[],
  input: string,
  env: NodeJS.ProcessEnv,
): Promise<{ status: number | null; output: string; said: string }> {
  const running = spawn("./manage", args, { cwd, env });
  running.stdin.on("error", () => undefined).end(input);
  const [output, said] = [running.stdout, running.stderr].map((stream) => {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    return () => Buffer.concat(chunks).toString();
  });
  const status = await new Promise<number | null>((resolve, reject) => {
    running.on("error", reject).on("close", resolve);
  });
  return { status, output: output!(), said: said!().split("\n").slice(-40).join("\n") };
}

/** A request to Caddy under a name that no DNS has. */
function overTls(options: {
  ca: Buffer;
  host: string;
  port: number;
  method: string;
  path: string;
  headers?: object;
  body?: string;
}): ReturnType<Client> {
  const { ca, host, port, method, path, headers, body } = options;
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ca,
        host: "127.0.0.1",
        port,
        servername: host,
        method,
        path,
        headers: { host, ...headers },
        timeout: 30_000,
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("error", reject);
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          const isJson = /json/.test(answer.headers["content-type"] ?? "");
          const status = answer.statusCode ?? 0;
          resolve({ status, headers: new Headers(), text, body: isJson ? JSON.parse(text) : undefined });
        });
      },
    );
    sent.on("timeout", () => sent.destroy(new Error("no answer within 30 s")));
    sent.on("error", reject);
    sent.end(body);
  });
}
