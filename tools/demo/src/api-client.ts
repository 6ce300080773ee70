import { DemoError } from "./demo-error.ts";
import { printExchange } from "./print-exchange.ts";

/** One caller of the operator API, which prints what it sends and is answered. */
export type ApiClient = {
  get(path: string): Promise<ApiAnswer>;
  post(path: string, body: object, status: number): Promise<ApiAnswer>;
  put(path: string, body: object, status: number): Promise<ApiAnswer>;
};
export type ApiAnswer = { status: number; body: Record<string, unknown> };

export function createApiClient(
  who: string,
  baseUrl: string,
  print: (text: string) => void,
  credentials: Record<string, string>,
): ApiClient {
  const call = async (method: string, path: string, expected: number, body?: object): Promise<ApiAnswer> => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { ...credentials, ...(body !== undefined && { "Content-Type": "application/json" }) },
      signal: AbortSignal.timeout(30_000),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    printExchange(print, { who, method, path, body, status: response.status, answer });
    if (response.status !== expected)
      throw new DemoError(`${method} ${path} was to be answered with ${expected}`);
    return { status: response.status, body: answer };
  };
  return {
    get: (path) => call("GET", path, 200),
    post: (path, body, status) => call("POST", path, status, body),
    put: (path, body, status) => call("PUT", path, status, body),
  };
}
