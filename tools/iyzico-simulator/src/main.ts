import { runSimulator } from "@holdfast/bank-simulator/core";

import { readConfig } from "./config.ts";
import { startIyzicoSimulator } from "./iyzico-simulator.ts";

await runSimulator(readConfig, startIyzicoSimulator);
