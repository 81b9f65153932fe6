/** The nonce of this answer of `index.html`, with which the content security policy allows style elements. */
import { setNonce } from "get-nonce";

const given = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";

/** Empty while the development server serves the page. */
export const nonce = given === "__CSP_NONCE__" ? "" : given;
if (nonce !== "") setNonce(nonce); // for the libraries that lock scrolling under dialogs
