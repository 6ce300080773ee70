import { assetPath } from "@holdfast/assets";
import { readFile } from "node:fs/promises";
import { awaitSchema, createDatabase, createPool, startClockWatch } from "@holdfast/postgres";
import {
  bankWaits,
  dependencyServers,
  startCertificateWatch,
  startHealth,
  startPurges,
  stopInOrder,
  type Logger,
  type RunningService,
} from "@holdfast/service-runtime";
import type { Kysely } from "kysely";
import type { Config } from "./config.ts";
import type { ConsoleDatabase } from "./database.ts";
import { consoleApp } from "./http/console-app.ts";
import { startConsoleServer } from "./http/console-server.ts";
import { pageHeaders } from "./http/page-headers.ts";
import { originOf } from "./http/same-origin.ts";
import { createSharedAnswers } from "./http/shared-answers.ts";
import { retentionPolicy } from "./retention-policy.ts";
import { createOperatorApi, operatorApiWire, type OperatorApiWire } from "./api/operator-api.ts";
import { asStaffApi } from "./api/as-staff-api.ts";
import { createIdentityProvider } from "./session/identity-provider.ts";

export type Console = RunningService & { port: number; healthPort: number };

/** The whole object graph of the console, wired by hand. It is not on the bus, and knows no secret of the gateway's. */
export async function startConsole(config: Config, log: Logger): Promise<Console> {
  const pool = createPool({
    url: config.DATABASE_URL,
    connectionsMax: config.DATABASE_CONNECTIONS_MAX,
    connectionTimeoutMs: config.DATABASE_CONNECTION_TIMEOUT,
    applicationName: "console",
    log,
  });
  await awaitSchema(pool, "console", assetPath("services/console/migrations"), log);
  const db = createDatabase<ConsoleDatabase>(pool);
  const clock = await startClockWatch({ pool, log, intervalMs: config.CLOCK_INTERVAL });
  const ca = config.OPERATOR_API_CA_FILE && (await readFile(config.OPERATOR_API_CA_FILE, "utf8"));
  const { pageMs } = bankWaits(config);
  const api = operatorApiWire(config.OPERATOR_API_URL, pageMs, ca);
  const staffApi =
    config.STAFF_API_URL === undefined ? undefined : operatorApiWire(config.STAFF_API_URL, pageMs, ca);
  const server = await startConsoleServer(appOf(config, { db, api, staffApi, log }), {
    host: config.LISTEN_HOST,
    port: config.CONSOLE_PORT,
    connectionsMax: config.CONNECTIONS_MAX,
    tls: tlsFilesOf(config),
    log,
  });
  log.info({ listener: "console", port: server.port }, "listening");
  const tasks = [
    startCertificateWatch({
      watched: [{ name: "console", servers: server.tlsServers }, ...dependencyServers(config)],
      log,
    }),
    ...startPurges(retentionPolicy, { deps: db, settings: config, log }),
  ];
  const health = await startHealth(config.LISTEN_HOST, config.HEALTH_PORT, [clock.database, clock.check]);
  return {
    port: server.port,
    healthPort: health.port,
    stop: () =>
      stopInOrder(health, [
        [() => server.stop(config.DRAIN_TIMEOUT)],
        [clock, ...tasks].map((task) => () => task.stop(TASK_STOP_MS)),
        [
          () => pool.end(),
          () => Promise.resolve(api.agent.destroy()),
          () => Promise.resolve(staffApi?.agent.destroy()),
        ],
      ]),
  };
}

const TASK_STOP_MS = 1_000;

function appOf(
  config: Config,
  {
    db,
    api,
    staffApi,
    log,
  }: {
    db: Kysely<ConsoleDatabase>;
    api: OperatorApiWire;
    staffApi: OperatorApiWire | undefined;
    log: Logger;
  },
) {
  const origin = originOf(config.CONSOLE_URL);
  return consoleApp(
    {
      store: { db, keys: config.CONSOLE_SESSION_KEYS, idleMs: config.SESSION_IDLE },
      createApi: ({ accessToken, staff }) =>
        staff
          ? asStaffApi(staffApi && createOperatorApi(staffApi, accessToken), staff.merchantId)
          : createOperatorApi(api, accessToken),
      provider: createIdentityProvider({
        issuer: config.OIDC_ISSUER,
        clientId: config.OIDC_CLIENT_ID,
        clientPassword: config.OIDC_CLIENT_PASSWORD,
        timeoutMs: config.OIDC_TIMEOUT,
        scope: config.OIDC_SCOPE,
        resource: config.OIDC_RESOURCE,
        rolesClaim: config.OIDC_ROLES_CLAIM,
        merchantClaim: config.OIDC_MERCHANT_CLAIM,
        redirectUrl: `${origin}/login/return`,
        onKeysFailure: (error) =>
          log.warn({ error }, "the identity provider's keys, which verify logouts, could not be read"),
      }),
      origin,
      sessionMaxMs: config.SESSION_MAX,
      decisionLoginAgeMs: config.DECISION_LOGIN_AGE_MAX,
      sharedAnswers: createSharedAnswers(),
      log,
    },
    pageHeaders({ consoleUrl: config.CONSOLE_URL, issuer: config.OIDC_ISSUER }),
  );
}

function tlsFilesOf({ TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile }: Config) {
  return certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile };
}
