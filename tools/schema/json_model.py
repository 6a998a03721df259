"""Makes schema/dax from AWS's model of DAX, a service that speaks JSON and has a folder of its own. Called by import_model.py.

Replies are described too, as those of the Query protocol's services are (query_model.py), whose way of reading a model
this follows; json_corrections.json says which operations are taken, and where the service differs from its model.
"""
import json
import pathlib

import query_model

HERE = pathlib.Path(__file__).resolve().parent


def load_corrections():
    return json.loads((HERE / "json_corrections.json").read_text())


def is_described_whole(model):
    """Whether the model is of a service with a folder of its own, not of DynamoDB or its streams."""
    return model["metadata"]["protocol"] == "json" and model["metadata"]["endpointPrefix"] in load_corrections()


class JsonServiceImport(query_model.ServiceImport):
    def service(self):
        errors = {self.error_code(e["shape"]) for name in self.corrections["operations"] for e in self.model["operations"][name]["errors"]}
        metadata = self.model["metadata"]
        return {
            "service": self.name,
            "version": metadata["apiVersion"],
            "target_prefix": metadata["targetPrefix"],
            "errors": {code: self.corrections["error_status"] for code in sorted(errors)},
        }


def import_json_service(model, out, dump):
    query_model.write_service(JsonServiceImport(model, load_corrections()), out, dump)
