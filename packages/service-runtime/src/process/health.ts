import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { prometheusText } from "@holdfast/telemetry";

/** A dependency that a service needs for its work; `check` throws while it cannot be reached. */
export type ReadinessCheck = { name: string; check: () => Promise<void> | void };

/** A check of a state that this process knows by itself. */
export function checkThat(name: string, isReady: () => boolean): ReadinessCheck {
  return {
    name,
    check() {
      if (!isReady()) throw new Error(`${name} is not ready`);
    },
  };
}

export type Health = {
  port: number;
  /** `/readyz` answers 503 from here on, so that no new work is routed here. */
  markDraining(): void;
  close(): Promise<void>;
};

/**
 * `GET /livez`: the event loop turns and none of the process's own loops is stuck. It does not check
 * dependencies, since a restart would not repair them. `GET /readyz`: every dependency answers within a
 * second and the service is not draining; the body names those that do not answer. `GET /metrics`: all
 * metrics, in Prometheus' text format.
 */
export async function startHealth(
  host: string,
  port: number,
  checks: ReadinessCheck[],
  /** Names a loop that is stuck. */
  stuckLoop: () => string | undefined = () => undefined,
): Promise<Health> {
  let draining = false;
  const server = createServer((request, response) => {
    const answer = (status: number, body: object) => {
      response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
      response.end(JSON.stringify(body));
    };
    if (request.url === "/livez") {
      const stuck = stuckLoop();
      return stuck === undefined ? answer(200, { status: "live" }) : answer(503, { status: "stuck", stuck });
    }
    if (request.url === "/metrics") {
      void answerMetrics(response).catch(() => answer(500, { status: "not collected" }));
      return;
    }
    if (request.url !== "/readyz") return answer(404, { status: "not found" });
    if (draining) return answer(503, { status: "draining" });
    void failingChecks(checks).then((failing) =>
      failing.length === 0 ? answer(200, { status: "ready" }) : answer(503, { status: "not ready", failing }),
    );
  });
  await listen(server, host, port);
  return {
    port: (server.address() as AddressInfo).port,
    markDraining() {
      draining = true;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answerMetrics(response: ServerResponse): Promise<void> {
  const text = await prometheusText();
  response.writeHead(text === undefined ? 404 : 200, {
    "content-type": PROMETHEUS_TEXT,
    "cache-control": "no-store",
  });
  response.end(text);
}

const PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8";

async function failingChecks(checks: ReadinessCheck[]): Promise<string[]> {
  const results = await Promise.all(
    checks.map(async ({ name, check }) => {
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(() => late.reject(new Error("late")), CHECK_TIMEOUT_MS);
      try {
        await Promise.race([check(), late.promise]);
        return undefined;
      } catch {
        return name;
      } finally {
        clearTimeout(timer);
      }
    }),
  );
  return results.filter((name) => name !== undefined);
}

const CHECK_TIMEOUT_MS = 1_000;

/**
 * Listens, or rejects with the system's error (`EADDRINUSE`, …). `::` is every address of both families, and of IPv4 alone
 * where the machine has no IPv6: so does Node when no host is given.
 */
export async function listen(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host === "::" ? undefined : host, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}
