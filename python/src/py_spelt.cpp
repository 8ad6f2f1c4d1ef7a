/* SPDX-License-Identifier: Apache-2.0
 *
 * A function in front of another: a call that fits costs nothing but one more call in C, a call
 * that does not is explained in Python, with the names that there are.
 */
#include "py_spelt.h"

#include <structmember.h>

#include <cstddef>

namespace libtma {

namespace {

struct Spelt {
    PyObject_HEAD vectorcallfunc call;
    PyObject *own;     /* what is called */
    PyObject *explain; /* of the arguments, those by name and the TypeError; raises */
    PyObject *dict;    /* names and documentation */
};

Spelt *spelt_of(PyObject *object) {
    return (Spelt *)object;
}

/* The TypeError that is raised now, in the words of `explain`. */
PyObject *explained(Spelt *self, PyObject *const *given, size_t count, PyObject *names) {
    nb::python_error error;
    nb::list positional;
    nb::dict named;
    for (size_t i = 0; i < count; i++) {
        positional.append(nb::handle(given[i]));
    }
    for (Py_ssize_t i = 0; names && i < PyTuple_Size(names); i++) {
        named[nb::handle(PyTuple_GetItem(names, i))] = nb::handle(given[count + (size_t)i]);
    }
    try {
        nb::handle(self->explain)(nb::tuple(positional), named, error.value());
    } catch (nb::python_error &said) {
        said.restore();
        return nullptr;
    }
    error.restore();
    return nullptr;
}

PyObject *call(PyObject *object, PyObject *const *given, size_t flags, PyObject *names) {
    Spelt *self = spelt_of(object);
    PyObject *result = PyObject_Vectorcall(self->own, given, flags, names);
    if (!result && PyErr_ExceptionMatches(PyExc_TypeError)) {
        return explained(self, given, (size_t)PyVectorcall_NARGS(flags), names);
    }
    return result;
}

PyObject *make(PyTypeObject *type, PyObject *arguments, PyObject *) {
    PyObject *own = nullptr, *explain = nullptr;
    if (!PyArg_ParseTuple(arguments, "OO", &own, &explain)) {
        return nullptr;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    PyObject *object = allocate(type, 0);
    if (object) {
        Spelt *self = spelt_of(object);
        self->call = call;
        self->own = Py_NewRef(own);
        self->explain = Py_NewRef(explain);
    }
    return object;
}

/* As a function does: a method of an instance. */
PyObject *bind(PyObject *object, PyObject *instance, PyObject *) {
    if (!instance || instance == Py_None) {
        return Py_NewRef(object);
    }
    static PyObject *const method =
        nb::object(nb::module_::import_("types").attr("MethodType")).release().ptr();
    return PyObject_CallFunctionObjArgs(method, object, instance, nullptr);
}

int traverse(PyObject *object, visitproc visit, void *arg) {
    Spelt *self = spelt_of(object);
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->own);
    Py_VISIT(self->explain);
    Py_VISIT(self->dict);
    return 0;
}

int clear(PyObject *object) {
    Spelt *self = spelt_of(object);
    Py_CLEAR(self->own);
    Py_CLEAR(self->explain);
    Py_CLEAR(self->dict);
    return 0;
}

void forget(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    (void)clear(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF((PyObject *)type);
}

} // namespace

void bind_spelt(nb::module_ &m) {
    static PyMemberDef members[] = {
        {"__vectorcalloffset__", T_PYSSIZET, offsetof(Spelt, call), READONLY, nullptr},
        {"__dictoffset__", T_PYSSIZET, offsetof(Spelt, dict), READONLY, nullptr},
        {nullptr, 0, 0, 0, nullptr}};
    static PyGetSetDef attributes[] = {
        {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
        {nullptr, nullptr, nullptr, nullptr, nullptr}};
    static PyType_Slot slots[] = {{Py_tp_new, (void *)make},
                                  {Py_tp_call, (void *)PyVectorcall_Call},
                                  {Py_tp_descr_get, (void *)bind},
                                  {Py_tp_traverse, (void *)traverse},
                                  {Py_tp_clear, (void *)clear},
                                  {Py_tp_dealloc, (void *)forget},
                                  {Py_tp_members, (void *)members},
                                  {Py_tp_getset, (void *)attributes},
                                  {0, nullptr}};
    static PyType_Spec spec = {"libtma._core.Spelt", (int)sizeof(Spelt), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                   Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR,
                               slots};
    m.attr("__spelt__") = nb::steal(PyType_FromSpec(&spec));
}

} // namespace libtma
