import { ConfigError } from "@holdfast/service-runtime";
import { DatabaseError } from "pg";
import { ForeignSchemaError } from "../foreign-schema.ts";

/**
 * True if a command would fail again in the same way: its settings are wrong, the schema is another
 * program's, or a statement is refused for its text or the existing rows. Everything else may pass: locks, a
 * server that starts, a password that has just been changed, a grant that an administrator gives.
 */
export function failsAgain(error: unknown): boolean {
  if (error instanceof DatabaseError)
    return /^(22|23|42)/.test(error.code ?? "") && error.code !== INSUFFICIENT_PRIVILEGE;
  return error instanceof ConfigError || error instanceof ForeignSchemaError;
}

const INSUFFICIENT_PRIVILEGE = "42501";
