import { vi } from "vitest";
import { Holdfast, type HoldfastOptions } from "../src/index.ts";

/** The answer of a gateway, a proxy or the network to one request. */
export type Step =
  | Answer
  /** The error that fetch rejects with. */
  | Error;

type Answer = { status: number; body?: unknown; headers?: Record<string, string> };

export type Asked = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
};

/** A client before a gateway that answers one step after another, with the recorded requests. */
export function scriptedGateway(steps: Step[], options: Partial<HoldfastOptions> = {}) {
  const asked: Asked[] = [];
  const holdfast = new Holdfast({
    baseUrl: "https://gateway.example",
    apiKey: "key-1",
    apiSecret: "secret-1",
    fetch: (url, { method, headers, body }) => {
      asked.push({ method, url, headers, body });
      const step = steps.shift();
      if (step === undefined) throw new Error(`nothing is scripted for ${method} ${url}`);
      if (step instanceof Error) return Promise.reject(step);
      const text = typeof step.body === "string" ? step.body : JSON.stringify(step.body);
      return Promise.resolve(new Response(text, { status: step.status, headers: step.headers ?? {} }));
    },
    ...options,
  });
  return { holdfast, asked, left: steps };
}

/** Lets a call's pauses pass without waiting for them. */
export async function withoutWaiting<Result>(call: Promise<Result>): Promise<Result> {
  const state = { ended: false };
  const end = () => void (state.ended = true);
  call.then(end, end);
  while (!state.ended) await vi.advanceTimersByTimeAsync(1_000);
  return await call;
}

/** A problem document as the gateway writes it. */
export function problem(status: number, code: string, members: object = {}): Answer {
  const requestId = "019f0000-0000-7000-8000-00000000000a";
  const document = { type: `urn:holdfast:problem:${code}`, title: code, status, code, requestId };
  return { status, body: { ...document, instance: `urn:uuid:${requestId}`, ...members } };
}

/** The error with which Node's fetch rejects. */
export function socketError(code: string): Error {
  return new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });
}
