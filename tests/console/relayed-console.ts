// A console before the gateway's listeners for people, with a record of its calls.
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  OPERATOR_ROLES,
  PROBLEMS,
  problemType,
  STAFF_ROLES,
  type OperatorRole,
  type ProblemCode,
  type StaffRole,
} from "@holdfast/contracts";
import { freePort } from "@holdfast/sandbox/infrastructure";
import { createDatabase, createPool } from "@holdfast/postgres";
import { createLogger, parseConfig } from "@holdfast/service-runtime";
import { configSchema } from "../../services/console/src/config.ts";
import type { ConsoleDatabase } from "../../services/console/src/database.ts";
import { startConsole } from "../../services/console/src/service.ts";
import { SESSION_COOKIE } from "../../services/console/src/session/cookies.ts";
import { formTokenOf } from "../../services/console/src/session/form-token.ts";
import { insertSession } from "../../services/console/src/session/session-queries.ts";
import { startStaffSystem } from "../security/staff-system.ts";
import { STAFF_AUDIENCE } from "../support/index.ts";

const sealing = randomBytes(32);
const keys = { activeId: "k1", keys: new Map([["k1", sealing]]) };

export type Audience = "operator" | "staff";
/** The console's answer, and its calls to the gateway for it. */
export type Asked = { status: number; retryAfter: string | null; text: string; calls: string[] };
export type RelayedConsole = Awaited<ReturnType<typeof startRelayedConsole>>;

/** Keeps a byte order mark, which `Response.text` drops. */
const textOf = async (response: Response) => Buffer.from(await response.arrayBuffer()).toString();

export async function startRelayedConsole() {
  const system = await startStaffSystem();
  const calls: string[] = [];
  const relay: Relay = { calls, away: undefined };
  const operators = await startRelay(system.operators.port, relay);
  const staff = await startRelay(system.staff.port, relay);
  const { url, stop } = await startConsoleOf(system.database.urls.console.app, operators.url, staff.url);
  const { merchantId } = system.shops.mine;
  const send = async (path: string, request: RequestInit): Promise<Asked> => {
    calls.length = 0;
    const response = await fetch(url + path, { redirect: "manual", ...request });
    const retryAfter = response.headers.get("retry-after");
    return { status: response.status, retryAfter, text: await textOf(response), calls: [...calls] };
  };
  return {
    ...system,
    url,
    relay,
    /** @returns the session that the browser would have. */
    async signIn(audience: Audience, { subject, roles }: { subject: string; roles?: readonly string[] }) {
      const isStaff = audience === "staff";
      const given = roles ?? (isStaff ? STAFF_ROLES : OPERATOR_ROLES);
      const ofStaff = { aud: STAFF_AUDIENCE, merchant_id: merchantId };
      return await insertedSession(system.database.urls.console.app, {
        subject,
        accessToken: await system.identity.token({
          claims: { sub: subject, roles: given, ...(isStaff && ofStaff) },
        }),
        ...(isStaff
          ? { staff: { merchantId, roles: new Set(given as StaffRole[]) }, roles: new Set<OperatorRole>() }
          : { roles: new Set(given as OperatorRole[]) }),
      });
    },
    get: (session: string, path: string, headers: Record<string, string> = {}) =>
      send(path, { headers: { ...headers, Cookie: cookieOf(session) } }),
    /** Asks for a target that need not be part of a URL. @returns the answer's status. */
    async getRaw(session: string | undefined, target: string): Promise<number> {
      const headers = session === undefined ? {} : { Cookie: cookieOf(session) };
      const asked = forward(url, { path: target, headers });
      const [answer] = (await once(asked.end(), "response")) as [IncomingMessage];
      answer.resume();
      return answer.statusCode!;
    },
    /** Sends a form of the session's own page, with the test's changes. */
    post: (
      session: string | undefined,
      path: string,
      form: Record<string, string> | URLSearchParams | FormData,
      headers: Record<string, string> = { Origin: url },
    ) =>
      send(path, {
        method: "POST",
        headers: { ...headers, ...(session !== undefined && { Cookie: cookieOf(session) }) },
        body: filled(form, { formToken: formTokenOf(session ?? ""), key: randomUUID() }),
      }),
    async close() {
      await stop();
      await Promise.all([operators.stop(), staff.stop()]);
      await system.close();
    },
  };
}

/** The form with the fields that a page adds to each, where the test has no others. */
function filled(form: Record<string, string> | URLSearchParams | FormData, added: Record<string, string>) {
  if (form instanceof FormData) return filledBeforeFile(form, added);
  const fields = new URLSearchParams(form);
  for (const [name, value] of Object.entries(added)) if (!fields.has(name)) fields.set(name, value);
  return fields;
}

/** The same for a form with a file, of which nothing is read behind the file. */
function filledBeforeFile(form: FormData, added: Record<string, string>) {
  const fields = new FormData();
  for (const [name, value] of Object.entries(added)) if (!form.has(name)) fields.append(name, value);
  for (const [name, value] of form) fields.append(name, value);
  return fields;
}

/** A chargeback of the payment, as the bank has announced it. @returns its id. */
export async function openDispute(
  { operate }: Pick<RelayedConsole, "operate">,
  paymentId: string,
): Promise<string> {
  const path = `/operator/payments/${paymentId}/chargebacks`;
  const { text } = await operate({ method: "POST", path, body: { amount: 4, currency: "TRY" } });
  return (JSON.parse(text) as { chargebackId: string }).chargebackId;
}

/** A console before these listeners, to which no provider leads: `insertedSession` signs in. */
export async function startConsoleOf(databaseUrl: string, operatorApiUrl: string, staffApiUrl: string) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const environment = {
    DATABASE_URL: databaseUrl,
    LISTEN_HOST: "127.0.0.1",
    HEALTH_PORT: "0",
    CONSOLE_PORT: `${port}`,
    CONSOLE_URL: url,
    OPERATOR_API_URL: operatorApiUrl,
    STAFF_API_URL: staffApiUrl,
    OIDC_ISSUER: "http://127.0.0.1:9",
    OIDC_CLIENT_ID: "console",
    CONSOLE_SESSION_KEYS: `k1:${sealing.toString("base64")}`,
    ALLOW_PLAINTEXT: "postgres",
    DATABASE_CONNECTION_TIMEOUT: "60s",
  };
  const config = parseConfig(configSchema, environment);
  const running = await startConsole(config, createLogger("console", "fatal"));
  return { url, stop: () => running.stop() };
}

export const cookieOf = (session: string) => `${SESSION_COOKIE}=${session}`;

/** The calls so far, and the calls whose service is unreachable: they get this problem, or no answer. */
type Relay = { calls: string[]; away: { call: RegExp; code: ProblemCode | undefined } | undefined };

/** Passes requests on to the gateway, and writes down which. */
async function startRelay(port: number, relay: Relay) {
  const server = createServer((incoming, response) => {
    const call = `${incoming.method} ${incoming.url!.split("?", 1)[0]}`;
    relay.calls.push(call);
    if (relay.away?.call.test(call)) {
      const { code } = relay.away;
      if (code === undefined) incoming.destroy();
      else incoming.resume().once("end", () => answerProblem(response, code));
      return;
    }
    const { method, headers, url: path } = incoming;
    const passed = forward({ port, host: "127.0.0.1", method, headers, path }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(passed);
  }).listen(0, "127.0.0.1");
  // Connections stay open as long as the gateway's headers say: a shorter time breaks requests on their way.
  server.keepAliveTimeout = 0;
  await once(server, "listening");
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

function answerProblem(response: ServerResponse, code: ProblemCode): void {
  const { status, title } = PROBLEMS[code];
  const requestId = randomUUID();
  const problem = {
    type: problemType(code),
    title,
    status,
    code,
    requestId,
    instance: `urn:uuid:${requestId}`,
  };
  response.writeHead(status, { "Content-Type": "application/problem+json" }).end(JSON.stringify(problem));
}

type Person = Pick<Parameters<typeof insertSession>[2], "subject" | "roles" | "accessToken" | "staff">;

/** Inserts a session, as after a sign-in. @returns the session that the browser would have. */
export async function insertedSession(
  url: string,
  person: Omit<Person, "staff"> & { staff?: NonNullable<Person["staff"]> },
): Promise<string> {
  const pool = createPool({
    url,
    connectionsMax: 1,
    connectionTimeoutMs: 60_000,
    applicationName: "test",
    log: createLogger("test", "error"),
  });
  const id = randomUUID();
  const later = new Date(Date.now() + 3_600_000);
  await insertSession(createDatabase<ConsoleDatabase>(pool), keys, {
    staff: undefined,
    ...person,
    id,
    idToken: "",
    providerSession: undefined,
    authenticatedAt: new Date(),
    accessEndsAt: later,
    endsAt: later,
  });
  await pool.end();
  return id;
}
