export type { BankProtocol } from "./banks.ts";
export type { SandboxBank } from "./bank-merchants.ts";
export { IMAGE_ENVIRONMENT } from "./image-environment.ts";
export { startSandbox, type Sandbox, type SandboxOptions } from "./sandbox.ts";
export type { SandboxFile } from "./sandbox-file.ts";
export type { ServiceDefinition, ServiceSurroundings } from "./service-definitions.ts";
export { serviceDefinitions } from "./service-definitions.ts";
