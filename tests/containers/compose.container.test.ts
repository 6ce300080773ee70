// docker-compose.yml from outside, with the images built here: the promises of each container, and of the whole.
import { X509Certificate } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../support/index.ts";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { preAuthorization, type Client } from "../e2e/running-sandbox.ts";
import { startComposeSystem, testVersion, type ComposeSystem } from "./compose-system.ts";
import { docker } from "./docker.ts";
import { payTheWholeTime } from "./steady-payments.ts";
import { drawTrace, treeOf } from "./traces.ts";
import { receiveWebhooks } from "./webhook-endpoint.ts";

const SERVICES = [
  "payments",
  "refunds",
  "webhook-dispatcher",
  "settlement",
  "console",
  "api-gateway",
] as const;
const LISTENERS = ["gateway-operator", "gateway-public", "gateway-staff"] as const;
const OURS = [...SERVICES, ...LISTENERS, "acquirer-simulator"] as const;
const IMAGES = ["holdfast", "simulators"] as const;
/** `stop_grace_period` of the services. */
const GRACE_MS = 45_000;

let system: ComposeSystem;
beforeAll(async () => void (system = await startComposeSystem()));
afterAll(async () => system?.down());

async function onboard(name: string) {
  // The first connections of a machine that builds beside it may take longer than a caller waits for.
  const body = await eventually(async () => {
    const answer = await system.operator(0)("POST", "/operator/merchants", { name });
    expect([answer.status, answer.body["code"]]).toEqual([201, undefined]);
    return answer.body;
  });
  return {
    merchantId: body.merchantId as string,
    merchant: system.merchant({ apiKey: body.apiKey as string, apiSecret: body.apiSecret as string }),
  };
}

/** Prints the kernel's view of the program below process 1, which only passes signals on. */
const STATUS_OF_PROGRAM = `
  import { readdirSync, readFileSync } from "node:fs";
  const statuses = readdirSync("/proc").filter((name) => /^\\d+$/.test(name))
    .map((pid) => readFileSync("/proc/" + pid + "/status", "utf8"));
  console.log(statuses.find((status) => /^PPid:\\s+1$/m.test(status)));`;

test.each(OURS)("%s is healthy and runs with the least that a process can have", async (service) => {
  const { Config, HostConfig, State, NetworkSettings } = await system.inspect(service);
  expect(State.Health.Status).toBe("healthy");
  const isBank = service === "acquirer-simulator";
  const program = service === "api-gateway" || service.startsWith("gateway-") ? "gateway" : service;
  expect(Config).toMatchObject({
    User: "1000:1000",
    Entrypoint: isBank ? ["node"] : ["node", "--disable-sigusr1", "/holdfast/dist/holdfast/holdfast.mjs"],
    Cmd: isBank ? ["dist/simulators/bank-simulator.mjs", "sim"] : ["run", program],
  });
  expect(HostConfig).toMatchObject({
    ReadonlyRootfs: true,
    CapDrop: ["ALL"],
    CapAdd: null,
    Privileged: false,
    SecurityOpt: ["no-new-privileges:true"],
    RestartPolicy: { Name: "unless-stopped" },
  });
  const published = Object.entries(NetworkSettings.Ports as Record<string, unknown>).filter(([, to]) => to);
  const expected: Record<string, string[]> = {
    "api-gateway": ["8080/tcp"],
    "gateway-operator": ["8081/tcp"],
    "gateway-public": ["8082/tcp"],
    "gateway-staff": ["8085/tcp"],
    console: ["8084/tcp"],
    // The issuer's page that it plays is for browsers.
    "acquirer-simulator": ["8083/tcp"],
  };
  expect(published.map(([port]) => port).sort()).toEqual(expected[service] ?? []);

  const running = await system.evaluate(service, STATUS_OF_PROGRAM);
  expect(running).toMatch(/^Name:\s+node/m);
  expect(running).toMatch(/^Uid:\s+1000\s+1000\s+1000\s+1000$/m);
  expect(running).toMatch(/^CapEff:\s+0+$/m);
  expect(running).toMatch(/^CapBnd:\s+0+$/m);
  expect(running).toMatch(/^NoNewPrivs:\s+1$/m);
  const write = `import { writeFileSync } from "node:fs";
    try { writeFileSync("/holdfast/x", ""); console.log("written") } catch (error) { console.log(error.code) }`;
  expect(await system.evaluate(service, write)).toMatch(/^(EROFS|EACCES)/);
});

test("the profile for observability is whole, publishes Grafana on this machine alone, and is off by default", async () => {
  const resolve = async (...options: string[]) => {
    const { services } = JSON.parse(await system.compose(...options, "config", "--format", "json")) as {
      services: Record<string, { ports?: { host_ip: string; target: number }[] }>;
    };
    return services;
  };
  const observers = ["grafana", "otel-collector", "prometheus", "tempo"];
  const withProfile = await resolve("--profile", "observability");
  expect(Object.keys(withProfile)).toEqual(expect.arrayContaining(observers));
  const published = observers.flatMap((name) => withProfile[name]!.ports ?? []);
  expect(published).toEqual([expect.objectContaining({ host_ip: "127.0.0.1", target: 3000 })]);
  const without = Object.keys(await resolve());
  expect(without.filter((name) => observers.includes(name))).toEqual([]);
});

test.each(["postgres", "nats"])(
  "%s is reached by nobody outside and has no more rights than it needs",
  async (name) => {
    const { HostConfig, NetworkSettings } = await system.inspect(name);
    expect(HostConfig).toMatchObject({
      ReadonlyRootfs: true,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges:true"],
    });
    expect(Object.values(NetworkSettings.Ports).filter(Boolean)).toEqual([]);
    expect(Object.keys(NetworkSettings.Networks)).toEqual([expect.stringMatching(/_internal$/)]);
  },
);

test("each container has its own secrets and no other's", async () => {
  const held = async (service: string) => {
    const { Config, Args } = await system.inspect(service);
    const text = JSON.stringify([Config, Args]);
    return [...system.secrets]
      .filter(([, value]) => text.includes(value))
      .map(([name]) => name)
      .sort();
  };
  expect(await held("payments")).toEqual([
    "ACCOUNT_SECRET_KEYS",
    "CARD_SEALING_KEYS",
    "FILE_KEYS",
    "NATS_PASSWORD_PAYMENTS",
    "PAN_FINGERPRINT_KEYS",
    "PAYMENTS_APP_PASSWORD",
  ]);
  expect(await held("refunds")).toEqual(["NATS_PASSWORD_REFUNDS", "REFUNDS_APP_PASSWORD"]);
  expect(await held("webhook-dispatcher")).toEqual([
    "NATS_PASSWORD_WEBHOOK_DISPATCHER",
    "WEBHOOKS_APP_PASSWORD",
    "WEBHOOK_SECRET_KEYS",
  ]);
  expect(await held("settlement")).toEqual([
    "FILE_KEYS",
    "NATS_PASSWORD_SETTLEMENT",
    "SETTLEMENT_APP_PASSWORD",
  ]);
  expect(await held("console")).toEqual(["CONSOLE_APP_PASSWORD", "CONSOLE_SESSION_KEYS"]);
  expect(await held("api-gateway")).toEqual([
    "CARD_SEALING_KEYS",
    "CREDENTIAL_PEPPERS",
    "GATEWAY_MERCHANT_PASSWORD",
    "NATS_PASSWORD_GATEWAY_MERCHANT",
    "THREE_DS_STATE_KEYS",
  ]);
  expect(await held("gateway-operator")).toEqual([
    "CREDENTIAL_PEPPERS",
    "GATEWAY_OPERATOR_PASSWORD",
    "NATS_PASSWORD_GATEWAY_OPERATOR",
  ]);
  expect(await held("gateway-public")).toEqual([
    "CARD_SEALING_KEYS",
    "GATEWAY_PUBLIC_PASSWORD",
    "NATS_PASSWORD_GATEWAY_PUBLIC",
    "THREE_DS_STATE_KEYS",
  ]);
  expect(await held("gateway-staff")).toEqual([
    "CREDENTIAL_PEPPERS",
    "GATEWAY_STAFF_PASSWORD",
    "NATS_PASSWORD_GATEWAY_STAFF",
  ]);
  expect(await held("stream-keeper")).toEqual(["NATS_PASSWORD_STREAM_KEEPER"]);
  expect(await held("payments-migration")).toEqual(["PAYMENTS_OWNER_PASSWORD"]);
  expect(await held("acquirer-simulator")).toEqual([]);
});

test("the bus lets nobody in without a password, and each service only to its own subjects", async () => {
  const attempt = (signIn: string) => `
    import { connect } from "node:tls";
    import { connect as dial } from "node:net";
    import { readFileSync } from "node:fs";
    const { NATS_USER: user, NATS_PASSWORD: pass, NATS_CA_FILE } = process.env;
    const raw = dial(4222, "nats");
    let heard = "";
    raw.once("data", () => {
      const socket = connect({ socket: raw, host: "nats", ca: readFileSync(NATS_CA_FILE) }).setEncoding("latin1");
      socket.write("CONNECT " + JSON.stringify({ verbose: false, ${signIn} }) + "\\r\\n");
      socket.write("PUB payments.sell 0\\r\\n\\r\\nPING\\r\\n");
      socket.on("error", () => undefined).on("close", () => console.log(heard.split("\\r\\n")[0]));
      socket.on("data", (part) => { if ((heard += part).includes("PONG")) socket.destroy(); });
    });`;
  expect(await system.evaluate("refunds", attempt(""))).toBe("-ERR 'Authorization Violation'\n");
  expect(await system.evaluate("refunds", attempt("user, pass"))).toBe(
    `-ERR 'Permissions Violation for Publish to "payments.sell"'\n`,
  );
});

const ON_THE_BUS = SERVICES.filter((service) => service !== "console");
test.each(ON_THE_BUS)("%s reaches the bus over TLS, and would not without it", async (service) => {
  const overTls = `
    import { connect } from "node:tls";
    import { connect as dial } from "node:net";
    import { readFileSync } from "node:fs";
    const raw = dial(4222, "nats");
    raw.once("data", () => {
      const socket = connect({ socket: raw, host: "nats", ca: readFileSync(process.env.NATS_CA_FILE) });
      socket.on("secureConnect", () => { console.log(socket.getProtocol(), socket.authorized); process.exit() });
      socket.on("error", ({ code }) => { console.log(code); process.exit() });
    });`;
  expect(await system.evaluate(service, overTls)).toBe("TLSv1.3 true\n");
  const inTheClear = `
    import { connect } from "node:net";
    const { NATS_USER: user, NATS_PASSWORD: pass } = process.env;
    const socket = connect(4222, "nats").setEncoding("latin1");
    let heard = "";
    socket.on("error", () => undefined).on("close", () => console.log(heard.includes("PONG") ? "let in" : "let go of"));
    socket.on("data", (part) => {
      if (heard === "") socket.write("CONNECT " + JSON.stringify({ user, pass }) + "\\r\\nPING\\r\\n");
      if ((heard += part).includes("PONG")) socket.destroy();
    });`;
  expect(await system.evaluate(service, inTheClear)).toBe("let go of\n");
});

test("nats takes a renewed certificate when it is restarted, and the services come back to it", async () => {
  const { merchant } = await onboard("Baker");
  const file = join(system.preparedDir, "bus", "nats.pem");
  rmSync(file);
  system.prepare();
  await system.compose("restart", "nats");
  const shown = `
    import { connect } from "node:tls";
    import { connect as dial } from "node:net";
    import { readFileSync } from "node:fs";
    const raw = dial(4222, "nats");
    raw.once("data", () => {
      const socket = connect({ socket: raw, host: "nats", ca: readFileSync(process.env.NATS_CA_FILE) });
      socket.on("secureConnect", () => { console.log(socket.getPeerCertificate().serialNumber); process.exit() });
    });`;
  const { serialNumber } = new X509Certificate(readFileSync(file));
  await eventually(async () => expect(await system.evaluate("payments", shown)).toBe(`${serialNumber}\n`));
  await eventually(async () => {
    expect(await merchant("POST", "/api/pre-authorization", preAuthorization())).toMatchObject({
      status: 201,
    });
  });
});

test.each(IMAGES)(
  "the image %s holds a bundle with its licences and inventory, and no secret",
  async (name) => {
    const image = `holdfast/${name}:${testVersion}`;
    const about =
      (await docker(["history", "--no-trunc", image])) + (await docker(["image", "inspect", image]));
    for (const [secret, value] of system.secrets) expect(about, secret).not.toContain(value);
    expect(about).not.toMatch(/PASSWORD=|NPM_CONFIG_REGISTRY|BEGIN CERTIFICATE/);

    const list = `import { readdirSync, readFileSync } from "node:fs";
    const files = readdirSync("/holdfast", { recursive: true }).map(String);
    console.log(JSON.stringify({ files, sbom: JSON.parse(readFileSync("/holdfast/dist/${name}/sbom.cdx.json", "utf8")) }));`;
    const inside = ["run", "--rm", "--read-only", "--network", "none", "--entrypoint", "node", image];
    const { files, sbom } = JSON.parse(await docker([...inside, "--input-type=module", "--eval", list])) as {
      files: string[];
      sbom: { bomFormat: string; components: { purl: string }[] };
    };
    expect(
      files.filter((file) =>
        /(^|\/)(\.env|\.npmrc|\.git|test|node_modules)(\/|$)|\.(ts|crt|pem|key)$/.test(file),
      ),
    ).toEqual([]);
    expect(files).toContain(`dist/${name}/THIRD-PARTY-NOTICES.txt`);
    expect(files.filter((file) => /^dist\/[^/]+$/.test(file))).toEqual([`dist/${name}`]);

    expect(sbom.bomFormat).toBe("CycloneDX");
    const named = sbom.components.map(({ purl }) => /^pkg:npm\/(.+)@/.exec(purl)?.[1]?.replace("%40", "@"));
    expect(named).toContain("zod");
    expect(named).not.toContain("vitest");
    const [{ Size, Config }] = JSON.parse(await docker(["image", "inspect", image])) as [
      { Size: number; Config: { Labels: Record<string, string> } },
    ];
    expect(Config.Labels).toMatchObject({
      "org.opencontainers.image.title": name === "holdfast" ? "Holdfast" : "Holdfast simulators",
      "org.opencontainers.image.licenses": "Apache-2.0",
    });
    const [{ Size: base }] = JSON.parse(await docker(["image", "inspect", "node:26-slim"])) as [
      { Size: number },
    ];
    const megabytes = (bytes: number) => Math.round(bytes / 1e6);
    process.stdout.write(
      `${image}: ${megabytes(Size)} MB, ${megabytes(Size - base)} of them beside node:26-slim\n`,
    );
  },
);

test("a payment, a refund that waits for approval, and their webhooks pass through it", async () => {
  const { merchantId, merchant } = await onboard("Book Shop");
  const endpoint = await receiveWebhooks(system, system.operator(0), merchantId);
  onTestFinished(() => endpoint.close());
  const { receipts } = endpoint;

  const sale = await merchant("POST", "/api/payment", preAuthorization({ amount: 100 }));
  expect(sale).toMatchObject({ status: 201, body: { status: "SUCCESS" } });
  const refund = await merchant("POST", `/api/payment/${sale.body.paymentId}/refund`, {
    amount: 30,
    currency: "TRY",
  });
  expect(refund).toMatchObject({ status: 202, body: { status: "PENDING_APPROVAL" } });
  const approve = (operator: Client) =>
    operator("POST", `/operator/refunds/${refund.body.paymentId}/approve`);
  expect(await approve(system.operator(2))).toMatchObject({ status: 403 });
  expect(await approve(system.operator(1))).toMatchObject({ status: 200, body: { approvals: 1 } });

  await eventually(() => {
    const verdicts = receipts.map(({ received, verdict }) => {
      const { paymentId, status } = JSON.parse(Buffer.from(received.body).toString()) as Record<
        string,
        string
      >;
      return { paymentId, status, valid: verdict.valid };
    });
    expect(verdicts).toEqual(
      expect.arrayContaining([
        { paymentId: sale.body.paymentId, status: "SUCCESS", valid: true },
        { paymentId: refund.body.paymentId, status: "SUCCESS", valid: true },
      ]),
    );
  });
});

test("a collector outside gets a payment's and a refund's whole trace, and the metrics of each service", async () => {
  const { collector } = system;
  const { merchantId, merchant } = await onboard("Clock Maker");
  const endpoint = await receiveWebhooks(system, system.operator(0), merchantId);
  onTestFinished(() => endpoint.close());

  const pay = drawTrace();
  const sale = await merchant("POST", "/api/payment", preAuthorization({ amount: 100 }), pay.headers);
  expect(sale).toMatchObject({ status: 201, body: { status: "SUCCESS" } });
  const ask = drawTrace();
  const part = { amount: 30, currency: "TRY" };
  const refund = await merchant("POST", `/api/payment/${sale.body.paymentId}/refund`, part, ask.headers);
  const approve = drawTrace();
  const approval = `/operator/refunds/${refund.body.paymentId}/approve`;
  expect(await system.operator(1)("POST", approval, undefined, approve.headers)).toMatchObject({
    status: 200,
  });

  const webhook = "webhook-dispatcher: POST webhook";
  await eventually(() => {
    expect(treeOf(collector, pay)).toEqual({
      roots: ["api-gateway: POST /api/payment"],
      services: ["api-gateway", "payments", "webhook-dispatcher"],
      names: expect.arrayContaining(["payments: acquirer sale", webhook]),
    });
    expect(treeOf(collector, ask)).toEqual({
      roots: ["api-gateway: POST /api/payment/{paymentId}/refund"],
      // The refund's webhook belongs to the merchant's request, whoever decided later.
      services: ["api-gateway", "payments", "refunds", "webhook-dispatcher"],
      names: expect.arrayContaining(["payments: process payments.reserve-refund", webhook]),
    });
    expect(treeOf(collector, approve)).toEqual({
      roots: ["api-gateway: POST /operator/refunds/{refundId}/approve"],
      services: ["api-gateway", "payments", "refunds"],
      names: expect.arrayContaining([
        "payments: acquirer refund",
        "payments: process payments.settle-refund",
      ]),
    });
  });
  const own: Record<(typeof SERVICES)[number], string> = {
    "api-gateway": "http.server.request.duration",
    payments: "holdfast.payments",
    refunds: "holdfast.refunds",
    "webhook-dispatcher": "holdfast.webhooks.attempts",
    settlement: "holdfast.settlement.facts",
    console: "holdfast.clock.skew",
  };
  await eventually(() => {
    expect([...collector.metrics.keys()].toSorted()).toEqual(SERVICES.toSorted());
    for (const service of SERVICES) expect(collector.metrics.get(service)).toContain(own[service]);
  });
});

test("each service is restarted under load: nothing is lost or done twice, and every refusal is one of the documented", async () => {
  const { merchant } = await onboard("Grocer");
  const load = payTheWholeTime(merchant);
  for (const service of ["payments", "refunds", "webhook-dispatcher", "settlement"])
    await restart(service, load.done);
  const seen = new Set(load.done.flatMap(({ statuses }) => statuses));
  expect([...seen].filter((status) => ![201, 202, 409, 503, 504].includes(Number(status)))).toEqual([]);
  // While the only gateway restarts there is no answer; a second one behind a load balancer would give one.
  await restart("api-gateway", load.done);
  const paid = await load.stop();
  for (const { statuses } of paid) for (const status of statuses) seen.add(status);
  expect([...seen].filter((status) => ![201, 202, 409, 503, 504, "no answer"].includes(status))).toEqual([]);
  process.stdout.write(`rolling restart: ${paid.length} payments, answers ${[...seen].join(", ")}\n`);

  for (const { paymentId } of paid) {
    expect(await merchant("GET", `/api/payment/${paymentId}`)).toMatchObject({ body: { status: "SUCCESS" } });
  }
  const ledger = (
    await system.evaluate(
      "acquirer-simulator",
      `process.stdout.write(await (await fetch("http://127.0.0.1:8083/ledger")).text())`,
    )
  ).split("\n");
  for (const { key, paymentId } of paid) {
    const lines = ledger.filter((line) => line.includes(paymentId) && line.includes(`"authorize"`));
    expect(lines, key).toHaveLength(1);
  }
});

/** One at a time, as a rolling update does it: the next one follows when this one is healthy. */
async function restart(service: string, paid: readonly unknown[]): Promise<void> {
  const before = paid.length;
  await eventually(() => paid.length > before + 10);
  await system.compose("restart", "--timeout", `${GRACE_MS / 1000}`, "--no-deps", service);
  await eventually(async () => (await system.inspect(service)).State.Health.Status === "healthy", {
    withinMs: 60_000,
  });
}

test.each(["refunds", "acquirer-simulator"])(
  "%s ends by the signal when it is stopped while it is still being loaded",
  async (service) => {
    const { Id } = await system.inspect(service);
    await docker(["stop", Id]);
    await docker(["start", Id]);
    await docker(["stop", Id]);
    // Killed after the whole grace period it would be 137.
    expect([0, 143]).toContain((await system.inspect(service)).State.ExitCode);
    await docker(["start", Id]);
    await eventually(async () => (await system.inspect(service)).State.Health.Status === "healthy", {
      withinMs: 60_000,
    });
  },
);

test("all are stopped by SIGTERM with exit code 0 within their grace, and come back with all data", async () => {
  const { merchant } = await onboard("Florist");
  const { body, text } = await merchant("POST", "/api/pre-authorization", preAuthorization());
  await system.compose("stop", ...OURS);
  for (const service of OURS) {
    const { State } = await system.inspect(service);
    expect(State, service).toMatchObject({ Status: "exited", ExitCode: 0, OOMKilled: false });
  }
  await system.compose("down");
  await system.compose("up", "--wait", "--wait-timeout", "180");
  expect(await merchant("GET", `/api/payment/${body.paymentId}`)).toMatchObject({ status: 200, text });
});

test("docker compose down --volumes leaves nothing", async () => {
  await system.compose("down", "--volumes");
  expect(await system.leftovers()).toEqual([]);
});
