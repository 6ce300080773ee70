// A real Prometheus beside the product, with the rules as they are shipped and time that passes faster.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, spawnLogged, withParentDeathSignal } from "@holdfast/sandbox/infrastructure";
import { stringify } from "yaml";
import { z } from "zod";
import { findPrometheus } from "../deploy/find-tool.ts";
import { eventually } from "../support/index.ts";
import { scaleDuration, scaleRules, shippedRules } from "./scale-rules.ts";

/** An alert that fires. */
export type Firing = { alertname: string; severity: string; labels: Record<string, string> };

export type Prometheus = {
  version: string;
  /** The targets, as the discovery of pods would give them: name to the URL of the health port. */
  setTargets(targets: Record<string, string>): void;
  firing(): Promise<Firing[]>;
  /** The number of targets that answer. */
  up(): Promise<number>;
  /** @throws when a rule could not be evaluated. */
  expectHealthyRules(): Promise<void>;
  stop(): Promise<void>;
};

/** @param by how many times faster time passes. */
export async function startPrometheus(by: number): Promise<Prometheus> {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-prometheus-"));
  const file = (name: string) => join(dir, name);
  const setTargets = (targets: Record<string, string>) =>
    writeFileSync(file("targets.json"), JSON.stringify(Object.entries(targets).map(targetOf)));
  setTargets({});
  writeFileSync(file("rules.yaml"), stringify(scaleRules(shippedRules(), by)));
  writeFileSync(file("prometheus.yaml"), stringify(configuration(by)));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const program = await spawnLogged({
    name: "prometheus",
    command: withParentDeathSignal("KILL", [
      await findPrometheus(),
      `--config.file=${file("prometheus.yaml")}`,
      `--storage.tsdb.path=${file("data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      // The time for which an unconfirmed value counts: five minutes, too.
      `--query.lookback-delta=${scaleDuration("5m", by)}`,
    ]),
    env: process.env,
    logFile: file("prometheus.log"),
  });
  await eventually(async () => (await fetch(`${url}/-/ready`)).ok);
  const { version } = buildSchema.parse(await (await fetch(`${url}/api/v1/status/buildinfo`)).json()).data;
  return {
    version,
    setTargets,
    async firing() {
      const { data } = alertsSchema.parse(await (await fetch(`${url}/api/v1/alerts`)).json());
      return data.alerts
        .filter(({ state }) => state === "firing")
        .map(({ labels }) => ({ alertname: labels["alertname"]!, severity: labels["severity"]!, labels }));
    },
    async up() {
      const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent("sum(up)")}`);
      const { data } = valueSchema.parse(await answer.json());
      return Number(data.result[0]?.value[1] ?? 0);
    },
    async expectHealthyRules() {
      const { data } = rulesSchema.parse(await (await fetch(`${url}/api/v1/rules`)).json());
      const ill = data.groups.flatMap(({ rules }) => rules).filter(({ health }) => health !== "ok");
      if (ill.length > 0) throw new Error(`rules that are not evaluated: ${JSON.stringify(ill)}`);
    },
    async stop() {
      await program.stop({ withinMs: 10_000 });
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A target under the labels that the PodMonitor gives. */
function targetOf([name, url]: [string, string]) {
  return {
    targets: [new URL(url).host],
    labels: { namespace: "holdfast", app_kubernetes_io_name: name, pod: `${name}-0` },
  };
}

/** Compose's intervals, which most installations have. */
function configuration(by: number) {
  const interval = scaleDuration("15s", by);
  return {
    global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
    rule_files: ["rules.yaml"],
    scrape_configs: [
      { job_name: "holdfast", file_sd_configs: [{ files: ["targets.json"], refresh_interval: "1s" }] },
    ],
  };
}

const buildSchema = z.object({ data: z.object({ version: z.string() }) });
const alertsSchema = z.object({
  data: z.object({
    alerts: z.array(z.object({ state: z.string(), labels: z.record(z.string(), z.string()) })),
  }),
});
const valueSchema = z.object({
  data: z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) }),
});
const rulesSchema = z.object({
  data: z.object({
    groups: z.array(
      z.object({
        rules: z.array(z.object({ name: z.string(), health: z.string(), lastError: z.string().optional() })),
      }),
    ),
  }),
});
