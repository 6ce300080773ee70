/**
 * The part of this process' environment for a program that a test starts: where programs are, and where
 * `scripts/run.mjs` keeps compiled code. Without the latter each start would compile all of a service again.
 */
export function bareEnvironment(): Record<string, string> {
  const names = ["PATH", "NODE_COMPILE_CACHE"];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
