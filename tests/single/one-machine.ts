import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, localCertificates, type LocalCertificates } from "@holdfast/sandbox/infrastructure";
import { docker } from "../containers/docker.ts";
import type { Client } from "../e2e/running-sandbox.ts";
import { createOperatorIdentity, ISSUER, type OperatorIdentity } from "../support/index.ts";
import { checkOut, type Checkout } from "./check-out.ts";
import { overTls } from "./over-tls.ts";
import { runManage } from "./run-manage.ts";

/** deploy/single as docs/single-machine.md installs it: a checkout of its own, and ./manage. */
export type OneMachine = Checkout & {
  /** The directory with ./manage. */
  single: string;
  certificates: LocalCertificates;
  receiverPort: number;
  backupDir: string;
  /** Runs ./manage; returns its output, and throws with what it said when it fails. */
  manage: Manage;
  /** Runs a command that is expected to fail, and returns the end of its output. */
  refusal(...args: string[]): Promise<string>;
  /** Calls the operator API by ./manage, as that person. */
  operator(person: string, method: string, path: string, body?: object): Promise<Record<string, string>>;
  merchant(credentials: Record<string, string>): Client;
  /** Answers what curl does in step 8 of the page. */
  probe(host: string, path: string): Promise<number>;
  dispose(): Promise<void>;
};

type Manage = (...args: string[]) => Promise<string>;

export const PROJECT = "holdfast-single-test";
const NODE_IMAGE = "node:26-slim";

/** Lays a checkout out and fills .env in; nothing is started. */
export async function layOutOneMachine(): Promise<OneMachine> {
  const home = mkdtempSync(join(tmpdir(), "holdfast-machine-"));
  const checkout = checkOut(join(home, "holdfast"));
  const single = join(home, "holdfast", "deploy", "single");
  const backupDir = join(home, "backup");
  const certificates = await localCertificates(join(home, "certificates"), { host: "*.shop.test" });
  const identity = await createOperatorIdentity();
  const [httpsPort, httpPort, receiverPort] = [await freePort(), await freePort(), await freePort()];
  putFiles(single, certificates, identity);
  fillIn(single, {
    BACKUP_DIR: backupDir,
    HTTPS_PORT: `${httpsPort}`,
    HTTP_PORT: `${httpPort}`,
    RECEIVER_PORT: `${receiverPort}`,
  });

  const run = (args: string[], input = "", extra: Record<string, string> = {}) =>
    runManage(single, args, input, { ...process.env, HOLDFAST_VERSION: "", ...extra });
  const succeed = async (args: string[], input?: string, extra?: Record<string, string>) => {
    const ended = await run(args, input, extra);
    if (ended.status !== 0)
      throw new Error(`./manage ${args.join(" ")} failed:\n${ended.said}\n${ended.output}`);
    return ended.output;
  };
  const at = { ca: readFileSync(certificates.caFile), port: httpsPort };
  return {
    ...checkout,
    single,
    certificates,
    receiverPort,
    backupDir,
    manage: (...args) => succeed(args),
    async refusal(...args) {
      const ended = await run(args);
      if (ended.status === 0) throw new Error(`./manage ${args.join(" ")} did not fail`);
      return ended.said;
    },
    async operator(person, method, path, body) {
      const claims = { sub: person, auth_time: Math.floor(Date.now() / 1000) };
      const TOKEN = await identity.token({ claims });
      const text = await succeed(["operator", method, path], body && JSON.stringify(body), { TOKEN });
      return text.trim() === "" ? {} : (JSON.parse(text) as Record<string, string>);
    },
    merchant: (credentials) => merchantAt(at, credentials),
    probe: async (host, path) => (await overTls({ ...at, host, method: "GET", path })).status,
    async dispose() {
      await run(["compose", "down", "--volumes", "--remove-orphans", "--timeout", "1"]);
      // PostgreSQL's files are its user's: root of a container takes them away.
      const mount = `${home}:/home-of-test`;
      await docker(["run", "--rm", "--volume", mount, NODE_IMAGE, "rm", "-rf", "/home-of-test/backup"]);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** The files of a company with certificates and an identity provider of its own. */
function putFiles(single: string, certificates: LocalCertificates, { jwks }: OperatorIdentity): void {
  for (const directory of ["tls", "trust"]) mkdirSync(join(single, directory));
  copyFileSync(certificates.certFile, join(single, "tls", "cert.pem"));
  copyFileSync(certificates.keyFile, join(single, "tls", "key.pem"));
  copyFileSync(certificates.caFile, join(single, "trust", "ca.pem"));
  writeFileSync(join(single, "trust", "jwks.json"), JSON.stringify(jwks));
}

function fillIn(single: string, own: Record<string, string>): void {
  const settings = {
    COMPOSE_PROJECT_NAME: PROJECT,
    COMPOSE_FILE: "compose.yml:../../tests/single/single.test.yml",
    FRONT_SUBNET: "172.31.253.0/28",
    BIND_ADDRESS: "127.0.0.1",
    TLS_LINE: "tls /etc/caddy/tls/cert.pem /etc/caddy/tls/key.pem",
    NODE_IMAGE,
    POSTGRES_IMAGE: "postgres:18",
    NATS_IMAGE: "nats:2",
    CADDY_IMAGE: "caddy:2.10",
    ACQUIRER_HOSTS: "acquirer-simulator",
    ALLOW_SIMULATOR: "live",
    OIDC_ISSUER: ISSUER,
    OIDC_JWKS: "/etc/holdfast/trust/jwks.json",
    WEBHOOK_ALLOWED_CIDRS: "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16",
    WEBHOOK_ALLOWED_PORTS: "any",
    WEBHOOK_CA_FILE: "/etc/holdfast/trust/ca.pem",
    // Every payment of a test has the same card.
    DEFAULT_MERCHANT_RULES: "off",
    ...own,
  };
  const example = readFileSync(join(single, "settings.example"), "utf8");
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(single, ".env"), example.replaceAll("example.com", "shop.test") + lines.join(""));
}

function merchantAt(
  at: { ca: Buffer; port: number },
  { apiKey = "", apiSecret = "" }: Record<string, string>,
): Client {
  return async (method, path, body, headers = {}) =>
    await overTls({
      ...at,
      host: "api.shop.test",
      method,
      path,
      headers: {
        "X-API-KEY": apiKey,
        "X-API-SECRET": apiSecret,
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
}

/** Ends a service's program as the kernel does where memory is short. */
export async function kill(manage: Manage, service: string): Promise<void> {
  const id = (await manage("compose", "ps", "--quiet", service)).trim();
  const pid = (await docker(["inspect", "--format", "{{.State.Pid}}", id])).trim();
  const program = `process.kill(${pid}, "SIGKILL")`;
  await docker(["run", "--rm", "--pid=host", NODE_IMAGE, "node", "--eval", program]);
}

/** The bank's approvals, such as `sale 0199…`. */
export async function approvedAtBank(manage: Manage): Promise<string[]> {
  const program = `process.stdout.write(await (await fetch("http://127.0.0.1:8083/ledger")).text())`;
  const evaluate = ["node", "--input-type=module", "--eval", program];
  const text = await manage("compose", "exec", "-T", "acquirer-simulator", ...evaluate);
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { operation: string; reference: string; outcome: string })
    .filter(({ outcome }) => outcome === "approved")
    .map(({ operation, reference }) => `${operation} ${reference}`);
}

export async function query(manage: Manage, database: string, statement: string): Promise<string> {
  const psql = ["psql", "-XAtqU", "postgres", "-d", database, "-c", statement];
  return (await manage("compose", "exec", "-T", "-u", "postgres", "postgres", ...psql)).trim();
}
