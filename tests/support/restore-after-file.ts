// For `setupFiles` where a worker runs several test files: what one of them replaced is not there for the next.
import { afterAll, vi } from "vitest";

afterAll(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
  vi.restoreAllMocks();
});
