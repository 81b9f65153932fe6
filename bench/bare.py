"""The bound of B10: a FastAPI app that checks a body and inserts one row, with the libraries that Packhouse uses."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from sqlalchemy import Column, MetaData, String, Table, insert
from sqlalchemy.ext.asyncio import create_async_engine

engine = create_async_engine(os.environ["BENCH_DATABASE_URL"], pool_size=10)
metadata = MetaData()
rows = Table("bare_rows", metadata, Column("id", String, primary_key=True), Column("table_id", String))


class Submit(BaseModel):
    """The body of a run that is submitted."""

    table_id: str
    operation: str


@asynccontextmanager
async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
    """Make the table anew."""
    async with engine.begin() as connection:
        await connection.run_sync(metadata.drop_all)
        await connection.run_sync(metadata.create_all)
    yield


app = FastAPI(lifespan=lifespan)


@app.post("/v1/runs", status_code=202)
async def submit(body: Submit) -> dict[str, str]:
    """Insert a row durably."""
    run_id = os.urandom(16).hex()
    async with engine.begin() as connection:
        await connection.execute(insert(rows).values(id=run_id, table_id=body.table_id))
    return {"id": run_id}


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ["BENCH_PORT"]), log_config=None)
