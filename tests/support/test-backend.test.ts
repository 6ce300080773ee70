import { expect, test } from "vitest";
import { chooseTestBackend, mayHaveEngine, readExternalServers } from "./test-backend.ts";

const withImages = () => Promise.resolve(true);
const withoutImages = () => Promise.resolve(false);
const notAsked = () => Promise.reject(new Error("the engine was asked"));

test("processes of this machine are the default, and nobody is asked for anything else", async () => {
  expect(await chooseTestBackend({}, notAsked)).toBe("embedded");
  expect(await chooseTestBackend({ TEST_BACKEND: "" }, notAsked)).toBe("embedded");
});

test("detected are containers where an engine has both images, and processes elsewhere", async () => {
  expect(await chooseTestBackend({ TEST_BACKEND: "detect" }, withImages)).toBe("containers");
  expect(await chooseTestBackend({ TEST_BACKEND: "detect" }, withoutImages)).toBe("embedded");
});

test.each(["embedded", "containers", "external"])(
  "TEST_BACKEND=%s decides, and nobody is asked",
  async (name) => {
    expect(await chooseTestBackend({ TEST_BACKEND: name }, notAsked)).toBe(name);
  },
);

test("an unknown backend is refused with those that there are", async () => {
  await expect(chooseTestBackend({ TEST_BACKEND: "docker" }, notAsked)).rejects.toThrow(
    "TEST_BACKEND must be one of embedded, containers, external, detect",
  );
});

test("external servers come from the environment; every fault is named, and no value shown", () => {
  const TEST_DATABASE_URL = "postgres://me:hush@db/postgres";
  const TEST_NATS_URL = "nats://bus:4222";
  expect(readExternalServers({ TEST_DATABASE_URL, TEST_NATS_URL })).toEqual({
    superuserUrl: TEST_DATABASE_URL,
    natsUrl: TEST_NATS_URL,
  });
  const wrong = () => readExternalServers({ TEST_DATABASE_URL: "mysql://me:hush@db" });
  expect(wrong).toThrow(/TEST_DATABASE_URL must be [^]*TEST_NATS_URL must be /);
  expect(wrong).not.toThrow(/hush/);
});

test("DOCKER_HOST is reason enough to ask for an engine", () => {
  expect(mayHaveEngine({ DOCKER_HOST: "tcp://127.0.0.1:2375" })).toBe(true);
});
