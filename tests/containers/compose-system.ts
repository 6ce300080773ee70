import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, localCertificates, type LocalCertificates } from "@holdfast/sandbox/infrastructure";
import { startOtlpReceiver, type OtlpReceiver } from "../support/index.ts";
import { client, type Client, type Credentials } from "../e2e/running-sandbox.ts";
import { docker } from "./docker.ts";

/** docker-compose.yml, brought up with secrets and ports of its own. */
export type ComposeSystem = {
  certificates: LocalCertificates;
  /** The port at which the containers find a server of this machine, under `host.docker.internal`. */
  receiverPort: number;
  /** Receives every span of the services, and their metrics. */
  collector: OtlpReceiver;
  /** The secrets that `npm run compose:prepare` generated, by name. */
  secrets: ReadonlyMap<string, string>;
  /** The directory of its certificates and keys. */
  preparedDir: string;
  /** Runs it once more. */
  prepare(): void;
  merchant(credentials: Credentials): Client;
  operator(index: number): Client;
  compose(...args: string[]): Promise<string>;
  /** The same project with another checkout's docker-compose.yml, mounted files and image tag. */
  composeOf(checkout: Checkout): ComposeSystem["compose"];
  /** `docker inspect` of a service's container. */
  inspect(service: string): Promise<Inspected>;
  /** Runs a program in a service's container; returns its output. */
  evaluate(service: string, program: string): Promise<string>;
  /** Containers, volumes and networks that exist under this system's name. */
  leftovers(): Promise<string[]>;
  down(): Promise<void>;
};

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads what Docker says as a stranger would
type Inspected = any;

const root = join(import.meta.dirname, "..", "..");

/** The tag of images built here, so that a user's images keep theirs. */
export const testVersion = "test";

/** A directory with the product's sources, and the tag of the images that are built of them. */
export type Checkout = { directory: string; version: string };

export const THIS_CHECKOUT: Checkout = { directory: root, version: testVersion };

/**
 * Builds the images and resolves when everything is healthy.
 *
 * @param first the checkout whose docker-compose.yml, mounted files and sources are used
 */
export async function startComposeSystem(first: Checkout = THIS_CHECKOUT): Promise<ComposeSystem> {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-compose-"));
  // The containers' user reads the two public files in it.
  chmodSync(dir, 0o711);
  const { operators } = prepare(dir);
  const certificates = await localCertificates(join(dir, "certificates"));
  chmodSync(join(dir, "certificates"), 0o711);
  const [merchantPort, operatorPort, publicPort, simulatorPort, receiverPort] = await freePorts();
  const collector = await startOtlpReceiver({ host: "0.0.0.0" });
  const project = `holdfast-test-${process.pid}`;
  const environment = {
    COMPOSE_FILES_DIR: join(dir, ".compose"),
    MERCHANT_API_PORT: `${merchantPort}`,
    OPERATOR_API_PORT: `${operatorPort}`,
    PUBLIC_PAGES_PORT: `${publicPort}`,
    SIMULATOR_PORT: `${simulatorPort}`,
    // Keeps the limit of one merchant out of a measurement of restarts.
    RATE_LIMIT_PER_SECOND: "100000",
    // Every payment of a test has the same card.
    DEFAULT_MERCHANT_RULES: "off",
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://collector:${collector.port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_TRACES_SAMPLER: "always_on",
    TEST_CA_FILE: certificates.caFile,
    TEST_RECEIVER_PORT: `${receiverPort}`,
  };
  const composeOf = composeCommand(project, join(dir, ".env"), environment);
  const compose = composeOf(first);
  const down = async () => {
    await compose("down", "--volumes", "--remove-orphans");
    await collector.close();
    rmSync(dir, { recursive: true, force: true });
  };
  const operator = (index: number) =>
    client(`http://127.0.0.1:${operatorPort}`, { Authorization: `Bearer ${operators[index]?.token}` });
  await bringUp(compose, [operator(0), operator(1)]).catch(async (error: unknown) => {
    await down();
    throw error;
  });
  return {
    certificates,
    receiverPort,
    collector,
    secrets: readSecrets(join(dir, ".env")),
    preparedDir: join(dir, ".compose"),
    prepare: () => void prepare(dir),
    merchant: ({ apiKey, apiSecret }) =>
      client(`http://127.0.0.1:${merchantPort}`, { "X-API-KEY": apiKey, "X-API-SECRET": apiSecret }),
    operator,
    compose,
    composeOf,
    inspect: (service) => inspectContainer(compose, service),
    evaluate: (service, program) =>
      compose("exec", "--no-TTY", service, "node", "--input-type=module", "--eval", program),
    leftovers: () => leftoversOf(project),
    down,
  };
}

type Compose = ComposeSystem["compose"];

function composeCommand(
  project: string,
  envFile: string,
  environment: Record<string, string>,
): ComposeSystem["composeOf"] {
  const files = ["docker-compose.yml", "tests/containers/compose.test.yml"];
  return ({ directory, version }) => {
    const options = [
      "--project-name",
      project,
      "--project-directory",
      directory,
      "--env-file",
      envFile,
      ...files.flatMap((file) => ["--file", join(directory, file)]),
    ];
    return (...args) =>
      docker(["compose", ...options, ...args], { ...environment, HOLDFAST_VERSION: version });
  };
}

async function bringUp(compose: Compose, [one, another]: [Client, Client]): Promise<void> {
  try {
    await compose("build");
    await compose("up", "--wait", "--wait-timeout", "180");
    const { body } = await one("POST", ACCOUNTS, SIMULATORS_ACCOUNT);
    await another("POST", `${ACCOUNTS}/${body.accountId}/confirm`, { version: 1 });
  } catch (error) {
    const logs = await compose("logs", "--no-color", "--tail", "20").catch(() => "");
    throw new Error(`${(error as Error).message}\n${logs}`, { cause: error });
  }
}

const ACCOUNTS = "/operator/acquirer-accounts";
const SIMULATORS_ACCOUNT = {
  protocol: "sim",
  name: "Acquirer simulator",
  default: true,
  currencies: ["TRY"],
  settings: { url: "http://acquirer-simulator:8083" },
  secrets: {},
};

async function inspectContainer(compose: Compose, service: string): Promise<Inspected> {
  const id = (await compose("ps", "--all", "--quiet", service)).trim();
  return (JSON.parse(await docker(["inspect", id])) as Inspected[])[0];
}

function freePorts(): Promise<[number, number, number, number, number]> {
  return Promise.all([freePort(), freePort(), freePort(), freePort(), freePort()]);
}

/** Prepares as a user does, but into a directory of the test's own. */
function prepare(dir: string): { operators: { name: string; token: string }[] } {
  const program = join(root, "scripts", "prepare-compose.mjs");
  const printed = execFileSync(process.execPath, [program, "--dir", dir, "--quiet"], { encoding: "utf8" });
  return JSON.parse(printed) as { operators: { name: string; token: string }[] };
}

function readSecrets(file: string): Map<string, string> {
  const lines = readFileSync(file, "utf8").matchAll(/^(\w+)=(.*)$/gm);
  return new Map([...lines].map(([, name = "", value = ""]) => [name, value]));
}

async function leftoversOf(project: string): Promise<string[]> {
  const filter = ["--quiet", "--filter", `label=com.docker.compose.project=${project}`];
  const lists = await Promise.all([
    docker(["ps", "--all", ...filter]),
    docker(["volume", "ls", ...filter]),
    docker(["network", "ls", ...filter]),
  ]);
  return lists.flatMap((list) => list.split("\n").filter(Boolean));
}
