import { runSimulator } from "@holdfast/simulator-kit";

import { readConfig } from "./config.ts";
import { startIyzicoSimulator } from "./iyzico-simulator.ts";

await runSimulator(readConfig, startIyzicoSimulator);
