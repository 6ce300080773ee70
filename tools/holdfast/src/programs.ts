/**
 * The names of all programs. Each is imported when it is chosen, so that a start loads no other: the bundler
 * makes a chunk for each import.
 */
import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { assetPath } from "@holdfast/assets";
import type { Service } from "@holdfast/service-runtime";
import { runProgram, UsageError } from "@holdfast/service-runtime/command-line";

/** Runs a program with the arguments after its name. It sets the exit code. */
export type Start = (args: string[]) => Promise<void>;

/** The services, which a process runs alone or together. */
const RUNNABLE: Record<string, () => Promise<Service>> = {
  async gateway() {
    const { defineService } = await import("@holdfast/service-runtime");
    const { configSchema: config } = await import("@holdfast/api-gateway/config");
    const { startApiGateway: start } = await import("@holdfast/api-gateway/service");
    return defineService({ name: "api-gateway", config, isEdge: true, start });
  },
  async payments() {
    const { defineService } = await import("@holdfast/service-runtime");
    const { configSchema: config } = await import("@holdfast/payments/config");
    const { startPayments: start } = await import("@holdfast/payments/service");
    return defineService({ name: "payments", config, start });
  },
  async refunds() {
    const { defineService } = await import("@holdfast/service-runtime");
    const { configSchema: config } = await import("@holdfast/refunds/config");
    const { startRefunds: start } = await import("@holdfast/refunds/service");
    return defineService({ name: "refunds", config, start });
  },
  async "webhook-dispatcher"() {
    const { defineService } = await import("@holdfast/service-runtime");
    const { configSchema: config } = await import("@holdfast/webhook-dispatcher/config");
    const { startWebhookDispatcher: start } = await import("@holdfast/webhook-dispatcher/service");
    return defineService({ name: "webhook-dispatcher", config, start });
  },
  async settlement() {
    const { defineService } = await import("@holdfast/service-runtime");
    const { configSchema: config } = await import("@holdfast/settlement/config");
    const { startSettlement: start } = await import("@holdfast/settlement/service");
    return defineService({ name: "settlement", config, start });
  },
  async console() {
    const { defineService } = await import("@holdfast/service-runtime");
    const { configSchema: config } = await import("@holdfast/console/config");
    const { startConsole: start } = await import("@holdfast/console/service");
    return defineService({ name: "console", config, isEdge: true, start });
  },
};

/** The programs that several services have, by the service's name. */
export const SERVICES: Record<string, { help: string; of: Record<string, Start> }> = {
  run: {
    help: "runs a service until SIGTERM, or several, each as SERVICE=FILE with a file of settings",
    of: Object.fromEntries(Object.keys(RUNNABLE).map((name) => [name, () => run([name])])),
  },
  migrate: {
    help: "migrates a service's schema, as its owner",
    of: {
      gateway: () => migrate("gateway", assetPath("services/api-gateway/migrations")),
      payments: () => migrate("payments", assetPath("services/payments/migrations")),
      refunds: () => migrate("refunds", assetPath("services/refunds/migrations")),
      "webhook-dispatcher": () => migrate("webhooks", assetPath("services/webhook-dispatcher/migrations")),
      settlement: () => migrate("settlement", assetPath("services/settlement/migrations")),
      console: () => migrate("console", assetPath("services/console/migrations")),
    },
  },
  keys: {
    help: "says which keys of a service's rings are needed, and encrypts again",
    of: {
      async gateway(args) {
        const { runKeysCommand } = await import("@holdfast/postgres");
        const { gatewayKeys } = await import("@holdfast/api-gateway/keys");
        await runKeysCommand(gatewayKeys, args);
      },
      async payments(args) {
        const { runKeysCommand } = await import("@holdfast/postgres");
        const { paymentsKeys } = await import("@holdfast/payments/keys");
        await runKeysCommand(paymentsKeys, args);
      },
      async "webhook-dispatcher"(args) {
        const { runKeysCommand } = await import("@holdfast/postgres");
        const { webhookKeys } = await import("@holdfast/webhook-dispatcher/keys");
        await runKeysCommand(webhookKeys, args);
      },
    },
  },
  reconcile: {
    help: "publishes the events again that the dispatcher has lost",
    of: {
      payments: (args) => reconcile("payments", args),
      refunds: (args) => reconcile("refunds", args),
      settlement: (args) => reconcile("settlement", args),
    },
  },
};

export const COMMANDS: Record<string, { help: string; start: Start }> = {
  install: {
    help: "makes the database, its schemas and roles, and the event stream",
    async start() {
      const { runInstall } = await import("@holdfast/installation/install");
      await runInstall();
    },
  },
  "keep-stream": {
    help: "makes the event stream again when it is lost, until SIGTERM",
    async start() {
      const { runStreamKeeper } = await import("@holdfast/installation/keep-stream");
      await runStreamKeeper();
    },
  },
  "wrap-ring": {
    help: "wraps a key ring under a key-encrypting key",
    async start(args) {
      const { wrapRingCommand } = await import("@holdfast/service-runtime");
      await runProgram("wrap-ring", wrapRingCommand, { args });
    },
  },
  "verify-audit": {
    help: "verifies the audit logs",
    async start(args) {
      const { verifyAudit } = await import("@holdfast/audit");
      await runProgram("verify-audit", verifyAudit, { args });
    },
  },
  "import-bins": {
    help: "replaces the BIN table by that of a file",
    async start(args) {
      const { importBins } = await import("@holdfast/payments/import-bins");
      await runProgram("import-bins", importBins, { args });
    },
  },
  settle: {
    help: "imports banks' settlement files and checks statements",
    async start(args) {
      const { settle } = await import("@holdfast/settlement/settle");
      await runProgram("settle", settle, { args });
    },
  },
  erase: {
    help: "removes a merchant's customer from old rows",
    async start(args) {
      const { erase } = await import("@holdfast/installation/erase");
      await runProgram("erase", erase, { args });
    },
  },
  archive: {
    help: "moves a month's ended payments out of the database, or back",
    async start(args) {
      const { archive } = await import("@holdfast/installation/archive");
      await runProgram("archive", archive, { args });
    },
  },
  "compare-reservations": {
    help: "compares refunds with what payments has reserved for them",
    async start(args) {
      const { runCompareReservations } = await import("@holdfast/refunds/compare-reservations");
      await runCompareReservations(args);
    },
  },
  evidence: {
    help: "collects evidence of an installation for an assessor",
    async start(args) {
      const { collectEvidence } = await import("@holdfast/installation/evidence");
      const { evidenceDeps } = await import("./evidence-deps.ts");
      await runProgram(
        "evidence",
        async (given, env, out) => await collectEvidence(evidenceDeps(), given, env, out),
        {
          args,
        },
      );
    },
  },
  "page-integrity": {
    help: "compares a checkout's page with what this version releases",
    async start(args) {
      const { checkPage } = await import("@holdfast/api-gateway/check-page");
      await runProgram("page-integrity", checkPage, { args });
    },
  },
};

/**
 * `run SERVICE` takes the settings from the environment. `run SERVICE=FILE SERVICE=FILE` runs several
 * services in one process: each one's file overrides the environment.
 * @throws UsageError
 */
export async function run(args: string[]): Promise<void> {
  const chosen = (args.length === 0 ? [""] : args).map((arg) => {
    const [name = "", file] = arg.split("=", 2);
    const load = Object.hasOwn(RUNNABLE, name) ? RUNNABLE[name] : undefined;
    if (load)
      return { load, env: file === undefined ? process.env : { ...process.env, ...settingsIn(file) } };
    throw new UsageError(`run takes one of ${Object.keys(RUNNABLE).join(", ")}, not ${JSON.stringify(name)}`);
  });
  const { runServices } = await import("@holdfast/service-runtime");
  await runServices(await Promise.all(chosen.map(async ({ load, env }) => ({ service: await load(), env }))));
}

function settingsIn(file: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(`the settings in ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

async function migrate(schema: string, directory: string): Promise<void> {
  const { runMigrationCommand } = await import("@holdfast/postgres");
  await runMigrationCommand(schema, directory);
}

async function reconcile(source: "payments" | "refunds" | "settlement", args: string[]): Promise<void> {
  const { runReconcileCommand } = await import("@holdfast/outbox");
  await runReconcileCommand(source, args);
}
