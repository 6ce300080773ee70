import { expect, test } from "vitest";
import type { Endpoint } from "../http/endpoint.ts";
import { ENDPOINTS } from "./endpoints.ts";
import { merchantOperations, operations, operatorOperations } from "./operations.ts";

test("no operation hides another one of the same name", () => {
  const names = [merchantOperations, operatorOperations].flatMap((table) => Object.keys(table));
  expect(names.toSorted()).toEqual(Object.keys(operations).toSorted());
  expect(new Set(ENDPOINTS.map(({ operationId }) => operationId)).size).toBe(ENDPOINTS.length);
});

test.each<Endpoint>(ENDPOINTS)(
  "the path of $operationId names a problem that its document lists",
  (endpoint) => {
    const { notFound, problems } = endpoint;
    expect(problems).toEqual(expect.arrayContaining(notFound === undefined ? [] : [notFound]));
  },
);
