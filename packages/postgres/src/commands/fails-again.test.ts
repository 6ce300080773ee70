import { ConfigError } from "@holdfast/service-runtime";
import { DatabaseError } from "pg";
import { expect, test } from "vitest";
import { ForeignSchemaError } from "../foreign-schema.ts";
import { failsAgain } from "./fails-again.ts";

const refused = (code: string) => Object.assign(new DatabaseError("refused", 1, "error"), { code });

test.each([
  ["settings that are not valid", new ConfigError(["X"]), true],
  ["a schema of other migrations", new ForeignSchemaError("payments", "has tables"), true],
  ["a statement that PostgreSQL cannot read", refused("42601"), true],
  ["rows that break a constraint", refused("23514"), true],
  ["a lock that somebody keeps", refused("55P03"), false],
  ["a server that starts", refused("57P03"), false],
  ["a password that is changed meanwhile", refused("28P01"), false],
  ["a grant that is not there yet", refused("42501"), false],
  ["a standby", refused("25006"), false],
  ["a broken connection", new Error("ECONNRESET"), false],
])("%s", (_, error, again) => expect(failsAgain(error)).toBe(again));
