import type { Operator } from "./operators.ts";

/** A request to the operator API. @throws with the answer where its status is another than expected. */
export type AskOperatorApi = <Body>(
  method: "GET" | "POST" | "PUT" | "PATCH",
  path: string,
  request: { body?: unknown; expected: number; purpose: string },
) => Promise<Body>;

/** The operator API as one person uses it. */
export function operatorClient(operatorUrl: string, { token }: Operator): AskOperatorApi {
  return async <Body>(
    method: string,
    path: string,
    { body, expected, purpose }: { body?: unknown; expected: number; purpose: string },
  ) => {
    const response = await fetch(operatorUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await response.text();
    if (response.status !== expected) throw new Error(`${purpose}: HTTP ${response.status} ${text}`);
    return JSON.parse(text) as Body;
  };
}
