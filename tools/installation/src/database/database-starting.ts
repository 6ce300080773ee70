import { DatabaseError } from "pg";

/** True if a failure is temporary: nothing listens yet, or the server answers that it is starting (57P03). */
export function isDatabaseStarting(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.code === "57P03";
  const code = (error as NodeJS.ErrnoException).code;
  return code !== undefined && UNREACHABLE.has(code);
}

const UNREACHABLE = new Set(["ECONNREFUSED", "ECONNRESET", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT"]);
