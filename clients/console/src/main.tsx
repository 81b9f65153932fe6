/** Start of the console. */
import "./shell/nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./shell/App";

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
