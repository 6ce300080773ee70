import { PROBLEMS, type ProblemCode } from "@holdfast/contracts";
import { expect } from "vitest";
import type { HttpAnswer } from "./http-client.ts";

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export function expectCommonHeaders({ headers }: HttpAnswer): void {
  expect(headers["x-request-id"]).toMatch(UUID_V7);
  expect(headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
  for (const name of ["x-powered-by", "etag", "server"]) expect(headers).not.toHaveProperty(name);
}

/** A whole RFC 9457 problem, with nothing in it beside what is given. */
export function expectProblem(
  answer: HttpAnswer,
  code: ProblemCode,
  members: Record<string, unknown> = {},
): void {
  const requestId = answer.headers["x-request-id"];
  const { status, title } = PROBLEMS[code];
  expect(answer.body).toEqual({
    type: `urn:holdfast:problem:${code}`,
    title,
    status,
    instance: `urn:uuid:${requestId}`,
    code,
    requestId,
    ...members,
  });
  expect(answer.status).toBe(status);
  expect(answer.headers["content-type"]).toBe("application/problem+json");
  expectCommonHeaders(answer);
}
