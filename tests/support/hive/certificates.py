"""An authority and certificates of its own, for a server of Java and clients of Python."""

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat
from cryptography.hazmat.primitives.serialization.pkcs12 import (
    PKCS12Certificate,
    serialize_java_truststore,
    serialize_key_and_certificates,
)
from cryptography.x509.oid import NameOID

PASSWORD = "changeit"


class Authority:
    """An authority that signs certificates for `localhost`."""

    def __init__(self, name: str) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name(name)
        self._certificate = self._sign(self._key, self._name, timedelta(days=1), is_authority=True)

    @property
    def pem(self) -> str:
        return self._certificate.public_bytes(Encoding.PEM).decode()

    def client(self, password: str | None = None) -> str:
        """Return a certificate of a client and its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        hidden = NoEncryption() if password is None else BestAvailableEncryption(password.encode())
        certificate = self._sign(key, _name("client"), timedelta(days=1))
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, hidden)
        return (certificate.public_bytes(Encoding.PEM) + private).decode()

    def keystore(self, path: Path, valid_for: timedelta = timedelta(days=1)) -> str:
        """Write a certificate of a server with its key; return the path."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = self._sign(key, _name("server"), valid_for)
        hidden = BestAvailableEncryption(PASSWORD.encode())
        path.write_bytes(serialize_key_and_certificates(b"server", key, certificate, [self._certificate], hidden))
        return str(path)

    def context(
        self, folder: Path, valid_for: timedelta = timedelta(days=1), *, asks_clients: bool = False
    ) -> ssl.SSLContext:
        """Return the settings of a server, whose certificate is written to the folder with its key.

        `asks_clients`: it serves only clients with a certificate of this authority.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        path = folder / "server.pem"
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        path.write_bytes(self._sign(key, _name("server"), valid_for).public_bytes(Encoding.PEM) + private)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path)
        if asks_clients:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(cadata=self.pem)
        return context

    def truststore(self, path: Path) -> str:
        """Write the certificate of the authority, for Java; return the path."""
        trusted = [PKCS12Certificate(self._certificate, b"authority")]
        path.write_bytes(serialize_java_truststore(trusted, BestAvailableEncryption(PASSWORD.encode())))
        return str(path)

    def _sign(
        self, key: ec.EllipticCurvePrivateKey, name: x509.Name, valid_for: timedelta, *, is_authority: bool = False
    ) -> x509.Certificate:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=2))
            .not_valid_after(now + valid_for)
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
            .sign(self._key, hashes.SHA256())
        )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])
