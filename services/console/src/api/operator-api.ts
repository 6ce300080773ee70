import { randomUUID } from "node:crypto";
import type { Agent } from "node:http";
import { problemSchema, type Endpoint, type Problem } from "@holdfast/contracts";
import { createHttpAgent, httpFetch } from "@holdfast/service-runtime";
import type { z } from "zod";
import { formWithFile, type ArrivingFile } from "./form-with-file.ts";

/** The gateway's listener for operators, called as one person: the console has no authority of its own. */
export type OperatorApi = {
  /** Sends a GET. @throws OperatorApiProblemError, OperatorApiUnavailableError */
  read<E extends Endpoint>(endpoint: E, call?: Call): Promise<BodyOf<E>>;
  /**
   * Sends any other method; a refusal of the gateway is returned.
   * @throws OperatorApiUnavailableError, and OperatorApiProblemError where the person is not signed in
   */
  change<E extends Endpoint>(endpoint: E, call: Call & { key: string }): Promise<Changed<BodyOf<E>>>;
  /**
   * Sends a file as it arrives.
   * @throws OperatorApiUnavailableError, and OperatorApiProblemError where the person is not signed in
   */
  upload<E extends Endpoint>(
    endpoint: E,
    call: Pick<Call, "path" | "query"> & { part: string; file: ArrivingFile },
  ): Promise<Changed<BodyOf<E>>>;
  /**
   * Sends a GET for another form of the answer, such as all rows of a list, as the gateway sends it.
   * @throws OperatorApiProblemError, OperatorApiUnavailableError
   */
  download(endpoint: Endpoint, mediaType: MediaType, call: Call): Promise<Download>;
};

/** Rows, a page to be printed, a QR code, a file as somebody uploaded it. */
export type MediaType = "text/csv" | "text/html" | "image/svg+xml" | "application/octet-stream";

export type Download = {
  body: ReadableStream<Uint8Array>;
  /** The Content-Security-Policy of a page that has a style of its own. */
  policy: string | undefined;
};

export type Changed<Body> = { done: true; body: Body } | { done: false; problem: Problem };

type Query = Record<string, string | undefined>;
export type Call = {
  path?: Record<string, string>;
  query?: Query;
  body?: unknown;
  /** The reader's locale, for texts that the gateway writes for people. */
  locale?: string;
};

export type BodyOf<E extends Endpoint> = E["responses"][keyof E["responses"]] extends {
  body: infer Schema extends z.ZodType;
}
  ? z.infer<Schema>
  : undefined;

/** The gateway has refused a request that only reads. */
export class OperatorApiProblemError extends Error {
  override name = "OperatorApiProblemError";
  readonly code = "operator_api_problem";
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(`the operators' API has answered ${problem.code}`);
    this.problem = problem;
  }
}

/** No answer, or none that the contract knows: it is unknown whether a change was made. */
export class OperatorApiUnavailableError extends Error {
  override name = "OperatorApiUnavailableError";
  readonly code = "operator_api_unavailable";
}

/**
 * The way to the gateway: its address, a bound on each wait, and the certificate authorities that are trusted there.
 */
export type OperatorApiWire = { url: string; timeoutMs: number; agent: Agent };

/** @param ca PEM of the authority that signed the gateway's certificate, unless it is a public one. */
export function operatorApiWire(url: string, timeoutMs: number, ca: string | undefined): OperatorApiWire {
  return {
    url,
    timeoutMs,
    agent: createHttpAgent(new URL(url).protocol, { connectionsMax: CONNECTIONS_MAX, ca }),
  };
}

const CONNECTIONS_MAX = 64;
/** A file is sent as fast as it arrives here, which has the same bound. */
const FILE_MS_MAX = 600_000;

export function createOperatorApi(wire: OperatorApiWire, accessToken: string): OperatorApi {
  const send = senderOf(wire, accessToken);
  return {
    async read(endpoint, call = {}) {
      const answer = await answerOf(endpoint, await send(endpoint, call, {}));
      if (!answer.done) throw new OperatorApiProblemError(answer.problem);
      return answer.body;
    },
    async change(endpoint, { key, ...call }) {
      for (let attempt = 1; ; attempt++) {
        const answer = await answerOf(endpoint, await send(endpoint, call, { "Idempotency-Key": key }));
        if (!answer.done && answer.problem.code === "unauthorized")
          throw new OperatorApiProblemError(answer.problem);
        // The same form was sent twice, such as by a double click: both requests get the first one's answer.
        if (answer.done || answer.problem.code !== "idempotency_key_in_use" || attempt === ATTEMPTS_MAX)
          return answer;
        await new Promise((resolve) => setTimeout(resolve, ATTEMPT_PAUSE_MS));
      }
    },
    async upload(endpoint, { part, file, ...call }) {
      const boundary = `holdfast-${randomUUID()}`;
      const body = formWithFile(boundary, part, file);
      const headers = { "Content-Type": `multipart/form-data; boundary=${boundary}` };
      const response = await send(endpoint, call, headers, { file: body }).catch(async (error: unknown) => {
        // The file itself may have broken off: then that is the cause, and nothing was imported.
        file.discard();
        await file.end();
        throw error;
      });
      const answer = await answerOf(endpoint, response);
      if (!answer.done && answer.problem.code === "unauthorized")
        throw new OperatorApiProblemError(answer.problem);
      return answer;
    },
    async download(endpoint, mediaType, call) {
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), wire.timeoutMs);
      // All rows of a list may take longer than an answer: the wait is over when they begin.
      const response = await send(endpoint, call, { Accept: mediaType }, { signal: late.signal }).finally(
        () => clearTimeout(timer),
      );
      if (response.ok && response.body) {
        const policy = response.headers.get("content-security-policy") ?? undefined;
        return { body: response.body, policy };
      }
      const answer = await answerOf(endpoint, response);
      if (!answer.done) throw new OperatorApiProblemError(answer.problem);
      throw new OperatorApiUnavailableError("the operators' API has answered with nothing");
    },
  };
}

/** One request as the person, with a bound on its wait. @throws OperatorApiUnavailableError */
function senderOf({ url, timeoutMs, agent }: OperatorApiWire, accessToken: string) {
  return async (
    endpoint: Endpoint,
    call: Call,
    headers: Record<string, string>,
    { file, signal }: { file?: AsyncIterable<Buffer>; signal?: AbortSignal } = {},
  ) => {
    try {
      return await httpFetch(addressOf(url, endpoint.path, call), {
        method: endpoint.method,
        headers: {
          Authorization: `Bearer ${accessToken}`,
          Accept: "application/json",
          ...(call.locale !== undefined && { "Accept-Language": call.locale }),
          ...(call.body !== undefined && { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
        ...(file && { body: file }),
        agent,
        signal: signal ?? AbortSignal.timeout(file ? FILE_MS_MAX : timeoutMs),
      });
    } catch (cause) {
      throw new OperatorApiUnavailableError("the operators' API does not answer", { cause });
    }
  };
}

const ATTEMPTS_MAX = 20;
const ATTEMPT_PAUSE_MS = 250;

async function answerOf<E extends Endpoint>(endpoint: E, response: Response): Promise<Changed<BodyOf<E>>> {
  try {
    const body: unknown = response.status === 204 ? undefined : await response.json();
    if (!response.ok) return { done: false, problem: problemSchema.parse(body) };
    const schema = endpoint.responses[response.status]?.body;
    return { done: true, body: schema?.parse(body) as BodyOf<E> };
  } catch (cause) {
    throw new OperatorApiUnavailableError("the operators' API has answered something else", { cause });
  }
}

function addressOf(base: string, path: string, { path: parameters = {}, query = {} }: Call): URL {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(bounded(parameters[name] ?? "")),
  );
  const address = new URL(base.replace(/\/+$/, "") + filled);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") address.searchParams.set(name, bounded(value));
  }
  return address;
}

/**
 * Cuts a text that is longer than any valid one. It stays invalid, and the gateway answers so. An address
 * that is longer than a server reads would leave it unknown whether something was done.
 */
function bounded(text: string): string {
  return text.slice(0, TEXT_LENGTH_MAX).toWellFormed();
}

const TEXT_LENGTH_MAX = 1_000;
