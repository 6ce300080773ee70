import type { OperatorHistory } from "./client-history.ts";
import { sendRequest, type Incoming } from "./send-request.ts";

export type OperatorClientDeps = {
  name: string;
  token: string;
  /** Ports of the gateways' operator API, used in turn as behind a load balancer. */
  ports: readonly number[];
  history: OperatorHistory;
  /** The authority of the gateways' certificates; without it the client uses plain HTTP. */
  ca?: string | undefined;
};

/** An operator's request that changes something. */
export type OperatorChange = {
  /** The action's name in the audit log. */
  action: string;
  method: "POST" | "PUT";
  path: string;
  /** The Idempotency-Key, where the listener has them. */
  key?: string;
  body?: object;
  /** The record that the action is about, or the answer's field that names it. */
  subject?: string;
  subjectIn?: string;
};

/** `status` is missing if no answer came. */
export type OperatorAnswer = { bytesSent: boolean; status?: number; body: unknown };

/** One operator at the operator API. Records every request that may change something. */
export class OperatorClient {
  readonly #deps: OperatorClientDeps;
  #requests = 0;

  constructor(deps: OperatorClientDeps) {
    this.#deps = deps;
  }

  get name(): string {
    return this.#deps.name;
  }

  async change({
    action,
    method,
    path,
    key,
    body,
    subject,
    subjectIn,
  }: OperatorChange): Promise<OperatorAnswer> {
    const answer = await this.#send(method, path, { key, body });
    const named = subject ?? fieldOf(answer.body, subjectIn);
    const code = fieldOf(answer.body, "code");
    const { bytesSent, status } = answer;
    this.#deps.history.add({
      operator: this.#deps.name,
      action,
      ...(named !== undefined && { subject: named }),
      bytesSent,
      ...(status !== undefined && { status }),
      ...(code !== undefined && { code }),
    });
    return answer;
  }

  async read(path: string): Promise<OperatorAnswer> {
    return await this.#send("GET", path);
  }

  async #send(
    method: "GET" | "POST" | "PUT",
    path: string,
    { key, body }: { key?: string | undefined; body?: object | undefined } = {},
  ): Promise<OperatorAnswer> {
    const { token, ports, ca } = this.#deps;
    const port = ports[this.#requests++ % ports.length] ?? 0;
    const text = body === undefined ? undefined : JSON.stringify(body);
    return answerOf(
      await sendRequest({
        port,
        method,
        path,
        headers: {
          authorization: `Bearer ${token}`,
          ...(key !== undefined && { "idempotency-key": key }),
          ...(text !== undefined && {
            "content-type": "application/json",
            "content-length": `${Buffer.byteLength(text)}`,
          }),
        },
        timeoutMs: TIMEOUT_MS,
        ca,
        ...(text !== undefined && { body: text }),
      }),
    );
  }
}

/** Longer than a gateway takes for a 504. */
const TIMEOUT_MS = 6_000;

function answerOf(answer: Incoming): OperatorAnswer {
  const { bytesSent } = answer;
  if (answer.kind === "no_answer") return { bytesSent, body: undefined };
  return { bytesSent, status: answer.status, body: parsed(answer.body) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fieldOf(body: unknown, name: string | undefined): string | undefined {
  if (name === undefined || typeof body !== "object" || body === null) return undefined;
  const value: unknown = (body as Record<string, unknown>)[name];
  return typeof value === "string" ? value : undefined;
}
