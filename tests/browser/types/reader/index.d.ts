export * from "../../../../bindings/wasm/index.js";
