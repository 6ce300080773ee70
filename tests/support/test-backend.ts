// The servers of a test run: processes of this machine, containers, or servers that are there already.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const testBackends = ["embedded", "containers", "external"] as const;
export type TestBackend = (typeof testBackends)[number];

/** TEST_BACKEND names none of the three, or one that lacks a setting. */
export class TestBackendError extends Error {
  override name = "TestBackendError";
  readonly code = "test_backend";
}

/**
 * TEST_BACKEND decides, and is `embedded` by default: containers take twice as long. `detect` takes containers where a
 * Docker engine answers that has both images; no image is pulled unasked.
 *
 * @throws TestBackendError
 */
export async function chooseTestBackend(
  env: NodeJS.ProcessEnv,
  engineHasImages: () => Promise<boolean>,
): Promise<TestBackend> {
  const given = env["TEST_BACKEND"] || "embedded";
  if (given === "detect") return (await engineHasImages()) ? "containers" : "embedded";
  const known = testBackends.find((backend) => backend === given);
  if (!known) throw new TestBackendError(`TEST_BACKEND must be one of ${testBackends.join(", ")}, detect`);
  return known;
}

/** Addresses of servers that the tests did not start. */
export type ExternalServers = { superuserUrl: string; natsUrl: string };

/** @throws TestBackendError that names every variable at fault, without its value: a URL holds a password. */
export function readExternalServers(env: NodeJS.ProcessEnv): ExternalServers {
  const superuserUrl = env["TEST_DATABASE_URL"] ?? "";
  const natsUrl = env["TEST_NATS_URL"] ?? "";
  const faults = [
    /^postgres(ql)?:\/\/./.test(superuserUrl)
      ? []
      : ["TEST_DATABASE_URL must be postgres://… of a superuser, on a server that is there for tests only"],
    /^nats:\/\/./.test(natsUrl) ? [] : ["TEST_NATS_URL must be nats://host:port, with JetStream"],
  ].flat();
  if (faults.length > 0) throw new TestBackendError(`TEST_BACKEND=external: ${faults.join("; ")}`);
  return { superuserUrl, natsUrl };
}

/** True if it is worth asking for an engine: the client that asks takes a second to load. */
export function mayHaveEngine(env: NodeJS.ProcessEnv): boolean {
  const sockets = [
    "/var/run/docker.sock",
    join(homedir(), ".docker", "run", "docker.sock"),
    join(homedir(), ".colima", "default", "docker.sock"),
    join(env["XDG_RUNTIME_DIR"] ?? "/run/user/0", "docker.sock"),
  ];
  return Boolean(env["DOCKER_HOST"]) || sockets.some((socket) => existsSync(socket));
}
