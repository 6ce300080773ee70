import { DemoError } from "./demo-error.ts";

/** One caller of an API, which prints what it sends and is answered. */
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
    // Together: what arrives meanwhile is not to stand between the two.
    const sent = `\n${who} -> ${method} ${path}\n${body === undefined ? "" : show(body)}`;
    print(`${sent}${who} <- ${response.status}\n${show(answer)}`);
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

/** As JSON, without what nobody should learn to print: secrets, and cards but for their ends. */
function show(body: object): string {
  const text = JSON.stringify(
    body,
    (name, value: unknown) => {
      if (SECRETS.has(name)) return "…";
      return name === "pan" && typeof value === "string" ? masked(value) : value;
    },
    2,
  );
  return `${text.replaceAll(/^/gm, "    ")}\n`;
}

const SECRETS = new Set(["apiSecret", "secret", "cvv"]);

function masked(pan: string): string {
  return pan.slice(0, 6) + "*".repeat(Math.max(0, pan.length - 10)) + pan.slice(-4);
}
