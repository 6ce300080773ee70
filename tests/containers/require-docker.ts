// Called by vitest before the first test: reports a missing requirement instead of failing somewhere in the middle.
import { docker } from "./docker.ts";

export async function setup(): Promise<void> {
  const missing = await Promise.all([
    docker(["info"]).then(
      () => [],
      () => ["a Docker engine that answers (docker info)"],
    ),
    docker(["compose", "version"]).then(
      () => [],
      () => ["the compose plugin (docker compose version)"],
    ),
  ]);
  if (missing.flat().length > 0) {
    throw new Error(
      `npm run test:containers needs ${missing.flat().join(" and ")}, and the images node:26-slim, postgres:18 and nats:2 or a registry to pull them from`,
    );
  }
}
